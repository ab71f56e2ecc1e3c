// SPDX-License-Identifier: Apache-2.0
#include "trust.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace hal::loader {
namespace {

// A sticky folder (/tmp) lets everyone add files but nobody replace another's.
bool is_open_to_all(const struct stat& info) {
  const bool is_sticky_folder = S_ISDIR(info.st_mode) && (info.st_mode & S_ISVTX) != 0;
  return (info.st_mode & S_IWOTH) != 0 && !is_sticky_folder;
}

Error errno_error(const std::filesystem::path& path) {
  const int number = errno;
  const hal_status_code_t code = number == EACCES ? HAL_STATUS_PERMISSION_DENIED : HAL_STATUS_NOT_FOUND;
  return {code, path.string() + ": " + std::strerror(number)};
}

Result<void> check_one(const std::filesystem::path& path, const struct stat& info, const char* what) {
  if (info.st_uid != 0 && info.st_uid != geteuid()) {
    return Error{HAL_STATUS_PERMISSION_DENIED, std::string("refused: ") + what + " " + path.string() +
                                                   " belongs to user " + std::to_string(info.st_uid) +
                                                   "; expected root or user " + std::to_string(geteuid()) +
                                                   ", so change its owner"};
  }
  if (is_open_to_all(info)) {
    return Error{HAL_STATUS_PERMISSION_DENIED, std::string("refused: ") + what + " " + path.string() +
                                                   " may be written by everyone; run chmod o-w on it"};
  }
  return {};
}

Result<void> check_folder(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  struct stat info {};
  if (stat(folder.c_str(), &info) != 0) return errno_error(folder);
  return check_one(folder, info, "the folder");
}

}  // namespace

Result<void> check_trusted_file(const std::filesystem::path& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return errno_error(path);
  if (!S_ISREG(info.st_mode)) return Error{HAL_STATUS_INVALID_ARGUMENT, path.string() + " is not a regular file"};
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::canonical(path, ignored);
  HAL_TRY(check_one(path, info, "the file"));
  HAL_TRY(check_folder(path));
  if (!real.empty()) HAL_TRY(check_folder(real));
  return {};
}

}  // namespace hal::loader
