// SPDX-License-Identifier: Apache-2.0
#include "object.hpp"

#include <lld/Common/Driver.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>

#include "hal/formats/elf_cpu.h"

LLD_HAS_DRIVER(elf)

namespace hal::compiler::codegen {
namespace {

constexpr const char* kTriple = "x86_64-unknown-linux-gnu";

Result<std::unique_ptr<llvm::TargetMachine>> make_machine(const Isa& isa) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(kTriple, error);
  if (target == nullptr) return internal_error("LLVM has no x86-64 target: " + error);
  llvm::TargetOptions options;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(kTriple, "x86-64", isa.llvm_features(), options, llvm::Reloc::PIC_,
                                  llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

void clean_up(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  llvm::ModulePassManager all;
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  all.run(module, modules);
}

std::string assemble(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type)) return {};
  passes.run(module);
  return std::string(buffer.begin(), buffer.end());
}

// A folder of this process alone, gone with the object.
class ScratchFolder {
 public:
  ScratchFolder() : path_((std::filesystem::temp_directory_path() / "mortise-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Result<std::vector<std::byte>> link(const std::string& object) {
  ScratchFolder folder;
  if (folder.path().empty())
    return Error{HAL_STATUS_UNAVAILABLE, "cannot make a folder in " + std::filesystem::temp_directory_path().string() +
                                             " to link in; is it writable?"};
  std::string input = folder.path() + "/kernels.o", output = folder.path() + "/kernels.so";
  std::ofstream(input, std::ios::binary).write(object.data(), static_cast<std::streamsize>(object.size()));
  static std::mutex mutex;  // lld has process-wide state
  std::string messages;
  {
    std::lock_guard lock(mutex);
    llvm::raw_string_ostream stream(messages);
    const char* arguments[] = {"ld.lld", "-shared",      "--no-undefined",  "--threads=1",
                               "-z",     "now",          "--build-id=none", "--soname=mortise-kernels",
                               "-o",     output.c_str(), input.c_str()};
    lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
    if (result.retCode != 0) return internal_error("linking the kernels failed: " + messages);
  }
  std::ifstream file(output, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  return std::vector<std::byte>(begin, begin + bytes.size());
}

}  // namespace

void add_entry_table(llvm::Module& module, const std::vector<Entry>& entries, const std::string& target) {
  auto& context = module.getContext();
  llvm::IRBuilder<> ir(context);
  llvm::Type *ptr = ir.getPtrTy(), *i32 = ir.getInt32Ty(), *i64 = ir.getInt64Ty();
  auto string = [&](const std::string& text) {
    auto* data = llvm::ConstantDataArray::getString(context, text);
    return new llvm::GlobalVariable(module, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, "text");
  };
  auto* entry_type = llvm::StructType::get(context, {ptr, ptr, i32, i32, i32, i32, i64});
  static_assert(sizeof(hal_elf_cpu_entry_t) == 40);
  std::vector<llvm::Constant*> rows;
  for (const Entry& entry : entries) {
    rows.push_back(llvm::ConstantStruct::get(
        entry_type, {string(entry.function->getName().str()), entry.function, ir.getInt32(entry.binding_count),
                     ir.getInt32(entry.constant_bytes), ir.getInt32(entry.local_memory_bytes), ir.getInt32(0),
                     ir.getInt64(entry.written_bindings)}));
  }
  auto* array_type = llvm::ArrayType::get(entry_type, rows.size());
  auto* table = new llvm::GlobalVariable(module, array_type, true, llvm::GlobalValue::PrivateLinkage,
                                         llvm::ConstantArray::get(array_type, rows), "entries");
  auto* head_type = llvm::StructType::get(context, {i32, i32, ptr, ptr});
  auto* head = llvm::ConstantStruct::get(
      head_type,
      {ir.getInt32(HAL_ELF_CPU_MAGIC), ir.getInt32(static_cast<uint32_t>(entries.size())), string(target), table});
  auto* symbol =
      new llvm::GlobalVariable(module, head_type, true, llvm::GlobalValue::ExternalLinkage, head, HAL_ELF_CPU_SYMBOL);
  symbol->setVisibility(llvm::GlobalValue::DefaultVisibility);
}

Result<std::vector<std::byte>> make_shared_object(llvm::Module& module, const Isa& isa, const Print& print) {
  HAL_TRY_ASSIGN(auto machine, make_machine(isa));
  module.setTargetTriple(kTriple);
  module.setDataLayout(machine->createDataLayout());
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  if (llvm::verifyModule(module, &problems)) return internal_error("generated IR is malformed: " + problem);
  clean_up(module, *machine);
  if (print) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream, nullptr);
    print("llvm", text);
    auto copy = llvm::CloneModule(module);
    print("assembly", assemble(*copy, *machine, llvm::CodeGenFileType::AssemblyFile));
  }
  return link(assemble(module, *machine, llvm::CodeGenFileType::ObjectFile));
}

}  // namespace hal::compiler::codegen
