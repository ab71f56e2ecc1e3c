# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a C++ table of the files named in LIST, with names relative to ROOT.
file(STRINGS ${LIST} files)
set(table "")
set(count 0)
foreach(file ${files})
  file(READ ${file} text)
  file(RELATIVE_PATH name ${ROOT} ${file})
  string(APPEND table "    {\"${name}\", R\"~~op~~(${text})~~op~~\", sizeof(R\"~~op~~(${text})~~op~~\") - 1},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Made by the build from operators/; SPDX-License-Identifier: Apache-2.0
#include \"lang/builtin_texts.hpp\"
namespace hal::compiler::lang {
const BuiltinText kBuiltinTexts[] = {
${table}    {nullptr, nullptr, 0},
};
const size_t kBuiltinTextCount = ${count};
}  // namespace hal::compiler::lang
")
