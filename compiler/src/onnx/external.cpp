// SPDX-License-Identifier: Apache-2.0
//
// External data of tensors: a file below the model's folder, with offset and length.
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>

#include "onnx/tensor_proto.hpp"

namespace hal::compiler {
namespace {

struct Location {
  std::string file;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};

Result<uint64_t> number(const std::string& key, const std::string& text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  return data_corrupt("external data: " + key + " \"" + text.substr(0, 40) + "\" is not a number");
}

Result<Location> location_of(const proto::TensorProto& tensor) {
  Location location;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") location.file = entry.value();
    if (entry.key() == "offset") {
      HAL_TRY_ASSIGN(location.offset, number("offset", entry.value()));
    }
    if (entry.key() == "length") {
      HAL_TRY_ASSIGN(location.length, number("length", entry.value()));
    }
  }
  if (location.file.empty()) return data_corrupt("external data: the location is missing");
  return location;
}

// A model names only files below its own folder; symbolic links are followed before that is asked.
Result<std::filesystem::path> inside(const std::string& folder, const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path root = fs::weakly_canonical(folder, error);
  fs::path path = fs::weakly_canonical(root / file, error);
  fs::path relative = path.lexically_relative(root);
  bool outside = relative.empty() || *relative.begin() == "..";
  if (error || fs::path(file).is_absolute() || outside) {
    return invalid_argument("external data: \"" + file + "\" is not below the model's folder");
  }
  return path;
}

Result<std::string> read(const std::string& folder, const proto::TensorProto& tensor, uint64_t expected) {
  HAL_TRY_ASSIGN(Location location, location_of(tensor));
  if (folder.empty()) {
    return unsupported("external data (\"" + location.file + "\") are only read for a model in a file");
  }
  if (location.length.value_or(expected) != expected) {
    return data_corrupt("external data: the shape takes " + std::to_string(expected) + " bytes; the length is " +
                        std::to_string(*location.length));
  }
  HAL_TRY_ASSIGN(std::filesystem::path path, inside(folder, location.file));
  std::error_code error;
  uint64_t size = std::filesystem::file_size(path, error);
  if (error) return not_found("external data: " + path.string() + ": " + error.message());
  if (location.offset > size || size - location.offset < expected) {
    return data_corrupt("external data: " + path.string() + " has " + std::to_string(size) + " bytes; expected " +
                        std::to_string(expected) + " at " + std::to_string(location.offset));
  }
  std::ifstream file(path, std::ios::binary);
  std::string bytes(expected, '\0');
  file.seekg(static_cast<std::streamoff>(location.offset));
  if (!file.read(bytes.data(), static_cast<std::streamsize>(expected))) {
    return not_found("external data: " + path.string() + ": cannot be read");
  }
  return bytes;
}

}  // namespace

ReadExternal external_reader(const std::string& folder) {
  return [folder](const proto::TensorProto& tensor, uint64_t expected) { return read(folder, tensor, expected); };
}

}  // namespace hal::compiler
