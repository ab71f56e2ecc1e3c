/* SPDX-License-Identifier: Apache-2.0
 *
 * Lays the programs' file, built beside, into the suite's library.
 */
        .section .rodata
        .balign 64
        .globl hal_conformance_kernels_begin
        .globl hal_conformance_kernels_end
        .hidden hal_conformance_kernels_begin
        .hidden hal_conformance_kernels_end
hal_conformance_kernels_begin:
        .incbin MORTISE_KERNELS_FILE
hal_conformance_kernels_end:
        .byte 0
        .section .note.GNU-stack,"",@progbits
