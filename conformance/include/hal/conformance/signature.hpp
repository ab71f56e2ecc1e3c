// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 and Ed25519 (RFC 8032), by OpenSSL. Keys are PEM files, as `openssl pkey` reads and writes them.
#ifndef HAL_CONFORMANCE_SIGNATURE_HPP_
#define HAL_CONFORMANCE_SIGNATURE_HPP_

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "hal/cxx/result.hpp"

namespace hal::conformance {

// 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);
Result<std::string> sha256_of_file(const std::string& path);

class PublicKey {
 public:
  // `text`: 64 hexadecimal digits. INVALID_ARGUMENT for anything else.
  static Result<PublicKey> from_hex(std::string_view text);
  static Result<PublicKey> read(const std::string& pem_path);

  std::string hex() const;
  // What people compare: the SHA-256 of the key's 32 bytes.
  std::string id() const;
  // Whether `signature`, 128 hexadecimal digits, is this key's of `message`.
  bool accepts(std::string_view message, std::string_view signature) const;

  bool operator==(const PublicKey&) const = default;

 private:
  friend class PrivateKey;
  std::array<unsigned char, 32> bytes_{};
};

class PrivateKey {
 public:
  static Result<PrivateKey> generate();
  static Result<PrivateKey> read(const std::string& pem_path);

  PublicKey public_key() const;
  Result<std::string> sign(std::string_view message) const;  // 128 hexadecimal digits

  // Writes `path` (readable by its owner alone) and `path`.pub. ALREADY_EXISTS rather than replacing a key.
  Result<void> write(const std::string& path) const;

 private:
  explicit PrivateKey(std::shared_ptr<void> key) : key_(std::move(key)) {}
  std::shared_ptr<void> key_;  // EVP_PKEY
};

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_SIGNATURE_HPP_
