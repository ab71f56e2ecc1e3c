// SPDX-License-Identifier: Apache-2.0
#include "hal/conformance/signature.hpp"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <vector>

namespace hal::conformance {
namespace {

using Digest = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;
using File = std::unique_ptr<std::FILE, decltype(&std::fclose)>;

std::string to_hex(const unsigned char* bytes, size_t size) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < size; i++) text += {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
  return text;
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool from_hex(std::string_view text, unsigned char* bytes, size_t size) {
  if (text.size() != 2 * size) return false;
  for (size_t i = 0; i < size; i++) {
    const int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    bytes[i] = static_cast<unsigned char>(high * 16 + low);
  }
  return true;
}

std::shared_ptr<EVP_PKEY> own(EVP_PKEY* key) { return {key, EVP_PKEY_free}; }
EVP_PKEY* evp(const std::shared_ptr<void>& key) { return static_cast<EVP_PKEY*>(key.get()); }
bool is_ed25519(EVP_PKEY* key) { return key != nullptr && EVP_PKEY_id(key) == EVP_PKEY_ED25519; }

std::string finish(EVP_MD_CTX* context) {
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_DigestFinal_ex(context, bytes, &size);
  return to_hex(bytes, size);
}

Result<File> open_file(const std::string& path) {
  File file(std::fopen(path.c_str(), "rbe"), std::fclose);
  if (!file) return not_found(path + " cannot be read: " + std::strerror(errno));
  return file;
}

// Never replaces a file: a lost key cannot be had again.
Result<File> make_file(const std::string& path, mode_t mode) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (descriptor < 0) return invalid_argument(path + " cannot be made: " + std::strerror(errno));
  return File(fdopen(descriptor, "w"), std::fclose);
}

}  // namespace

std::string sha256(std::string_view bytes) {
  const Digest context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  EVP_DigestUpdate(context.get(), bytes.data(), bytes.size());
  return finish(context.get());
}

Result<std::string> sha256_of_file(const std::string& path) {
  HAL_TRY_ASSIGN(const File file, open_file(path));
  const Digest context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  std::vector<unsigned char> block(size_t{1} << 16);
  for (size_t size = 0; (size = std::fread(block.data(), 1, block.size(), file.get())) != 0;)
    EVP_DigestUpdate(context.get(), block.data(), size);
  if (std::ferror(file.get()) != 0) return not_found(path + " cannot be read to its end");
  return finish(context.get());
}

Result<PublicKey> PublicKey::from_hex(std::string_view text) {
  PublicKey key;
  if (!conformance::from_hex(text, key.bytes_.data(), key.bytes_.size()))
    return invalid_argument("a public key is 64 lower-case hexadecimal digits");
  return key;
}

Result<PublicKey> PublicKey::read(const std::string& pem_path) {
  HAL_TRY_ASSIGN(const File file, open_file(pem_path));
  const auto key = own(PEM_read_PUBKEY(file.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  PublicKey result;
  size_t size = result.bytes_.size();
  if (!is_ed25519(key.get()) || EVP_PKEY_get_raw_public_key(key.get(), result.bytes_.data(), &size) != 1)
    return data_corrupt(pem_path + " holds no Ed25519 public key in PEM; keygen writes one as KEY.pub");
  return result;
}

std::string PublicKey::hex() const { return to_hex(bytes_.data(), bytes_.size()); }

std::string PublicKey::id() const { return sha256({reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}); }

bool PublicKey::accepts(std::string_view message, std::string_view signature) const {
  unsigned char bytes[64];
  if (!conformance::from_hex(signature, bytes, sizeof bytes)) return false;
  const auto key = own(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_.data(), bytes_.size()));
  const Digest context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const bool good = key && EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
                    EVP_DigestVerify(context.get(), bytes, sizeof bytes,
                                     reinterpret_cast<const unsigned char*>(message.data()), message.size()) == 1;
  ERR_clear_error();
  return good;
}

Result<PrivateKey> PrivateKey::generate() {
  auto key = own(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  if (!key) return internal_error("OpenSSL made no key");
  return PrivateKey(std::move(key));
}

Result<PrivateKey> PrivateKey::read(const std::string& pem_path) {
  HAL_TRY_ASSIGN(const File file, open_file(pem_path));
  // A password is never asked for: an encrypted key is decrypted by other means first.
  const auto no_password = [](char*, int, int, void*) { return -1; };
  auto key = own(PEM_read_PrivateKey(file.get(), nullptr, no_password, nullptr));
  ERR_clear_error();
  if (!is_ed25519(key.get())) return data_corrupt(pem_path + " holds no Ed25519 private key in PEM; keygen makes one");
  return PrivateKey(std::move(key));
}

PublicKey PrivateKey::public_key() const {
  PublicKey result;
  size_t size = result.bytes_.size();
  EVP_PKEY_get_raw_public_key(evp(key_), result.bytes_.data(), &size);
  return result;
}

Result<std::string> PrivateKey::sign(std::string_view message) const {
  unsigned char bytes[64];
  size_t size = sizeof bytes;
  const Digest context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, evp(key_)) != 1 ||
      EVP_DigestSign(context.get(), bytes, &size, reinterpret_cast<const unsigned char*>(message.data()),
                     message.size()) != 1) {
    return internal_error("OpenSSL did not sign");
  }
  return to_hex(bytes, size);
}

Result<void> PrivateKey::write(const std::string& path) const {
  HAL_TRY_ASSIGN(File key, make_file(path, 0600));
  HAL_TRY_ASSIGN(File pub, make_file(path + ".pub", 0644));
  const bool written = PEM_write_PrivateKey(key.get(), evp(key_), nullptr, nullptr, 0, nullptr, nullptr) == 1 &&
                       PEM_write_PUBKEY(pub.get(), evp(key_)) == 1;
  const bool closed = std::fclose(key.release()) == 0 && std::fclose(pub.release()) == 0;
  if (!written || !closed) return Error{HAL_STATUS_UNAVAILABLE, "writing " + path + "; is the disk full?"};
  return {};
}

}  // namespace hal::conformance
