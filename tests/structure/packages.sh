#!/bin/sh
# The Debian packages of this build: three, with what belongs in each, and with the libraries that they need. Whether they
# install in a bare system is for tools/test_packages.sh.
. "${0%/*}/common.sh"

for tool in cpack dpkg-deb dpkg-shlibdeps file; do
  command -v $tool >/dev/null || skip "there is no $tool"
done
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$scratch/packages" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }

# has PACKAGE FILE...: patterns of grep, each for a whole path
has()
{
  package=$(find "$scratch/packages" -maxdepth 1 -name "$1_*.deb")
  [ -n "$package" ] || { complain "there is no package $1"; return; }
  dpkg-deb --fsys-tarfile "$package" | tar --list | sed 's/^\.//' >"$scratch/files"
  name=$1
  shift
  for file; do grep -qx "$file" "$scratch/files" || complain "$name lacks $file"; done
  for document in copyright changelog.gz; do
    grep -qx "/usr/share/doc/$name/$document" "$scratch/files" || complain "$name lacks its $document"
  done
  dpkg-deb --field "$package" >"$scratch/control"
}
has zilch /usr/bin/zilch /usr/share/man/man1/zilch.1.gz /usr/share/man/man1/zilch-optimize.1.gz /usr/share/bash-completion/completions/zilch \
  /usr/share/zsh/vendor-completions/_zilch /usr/share/fish/vendor_completions.d/zilch.fish
if grep -E '\.(so|a|h)(\.|$)|\.1$' "$scratch/files"; then complain 'zilch has files of other packages'; fi
for library in libc6 libjansson4 libopenblas0 libsqlite3-0; do
  grep -q "^Depends:.*$library" "$scratch/control" || complain "zilch does not depend on $library"
done
has libzilch0 '/usr/lib.*/libzilch\.so\.0' '/usr/lib.*/libzilch\.so\.[0-9.]*'
has libzilch-dev /usr/include/zilch.h '/usr/lib.*/libzilch\.so' '/usr/lib.*/libzilch\.a' '/usr/lib.*/pkgconfig/zilch\.pc' \
  '/usr/lib.*/zilchConfig\.cmake'
grep -q '^Depends: libzilch0 (= ' "$scratch/control" || complain 'libzilch-dev does not depend on the library'
[ "$(find "$scratch/packages" -maxdepth 1 -name '*.deb' | wc -l)" -eq 3 ] || complain 'not three packages'
verdict
