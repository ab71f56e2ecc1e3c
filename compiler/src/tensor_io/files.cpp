// SPDX-License-Identifier: Apache-2.0
//
// Whole files, and the choice of the format by the extension.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "hal/compiler/tensor_io.hpp"

namespace hal::compiler {
namespace {

Error system_error(const std::string& path, const char* what) {
  return not_found(path + ": " + what + ": " + std::strerror(errno));
}

Error unknown_extension(const std::string& path) {
  return invalid_argument(path + ": expected a tensor file that ends in .npy or .pb");
}

}  // namespace

Result<std::string> read_bytes(const std::string& path, uint64_t max_bytes) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return not_found(path + ": is a folder; expected a file");
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return system_error(path, "cannot be opened");
  std::streamoff size = file.tellg();
  if (size < 0) return system_error(path, "its size cannot be read");
  if (static_cast<uint64_t>(size) > max_bytes) {
    return data_corrupt(path + ": has " + std::to_string(size) + " bytes; at most " + std::to_string(max_bytes) +
                        " are read");
  }
  std::string bytes(static_cast<size_t>(size), '\0');
  file.seekg(0);
  if (!file.read(bytes.data(), size)) return system_error(path, "cannot be read");
  return bytes;
}

Result<void> write_bytes(const std::string& path, std::string_view bytes) {
  std::string beside = path + "." + std::to_string(getpid()) + ".part";
  std::ofstream file(beside, std::ios::binary | std::ios::trunc);
  if (!file) return system_error(path, "cannot be written");
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(beside, path, error);
  if (file && !error) return {};
  if (error) errno = error.value();
  Error failure = system_error(path, "cannot be written");
  std::filesystem::remove(beside, error);
  return failure;
}

Result<Tensor> read_tensor(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  if (extension != ".npy" && extension != ".pb") return unknown_extension(path);
  HAL_TRY_ASSIGN(std::string bytes, read_bytes(path));
  return extension == ".npy" ? parse_npy(bytes, path) : parse_tensor_proto(bytes, path);
}

Result<void> write_npy(const std::string& path, const Tensor& tensor) {
  HAL_TRY_ASSIGN(std::string bytes, npy_bytes(tensor));
  return write_bytes(path, bytes);
}

Result<void> write_tensor(const std::string& path, const Tensor& tensor) {
  std::filesystem::path file(path);
  if (file.extension() == ".npy") return write_npy(path, tensor);
  if (file.extension() != ".pb") return unknown_extension(path);
  HAL_TRY_ASSIGN(std::string bytes, tensor_proto_bytes(tensor, file.stem().string()));
  return write_bytes(path, bytes);
}

}  // namespace hal::compiler
