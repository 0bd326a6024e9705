#!/bin/sh
# clean_root_test.sh PACKAGES WORK: a bare Debian 12 in a folder, the packages installed by apt with what
# they depend on, and the program, Python and a small C++ project run there. Needs root, debootstrap and
# a few minutes: runs only with PROVEN_CLEAN_ROOT=1. PROVEN_DEBIAN_MIRROR: another mirror than
# debootstrap's own.
set -eu
packages=$1 work=$2
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${PROVEN_CLEAN_ROOT:-}" ] || [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
  echo "skipped: set PROVEN_CLEAN_ROOT=1, as root, with debootstrap"
  exit 77
fi
root=$work/root
rm -rf "$work"
mkdir -p "$root"
debootstrap --variant=minbase bookworm "$root" ${PROVEN_DEBIAN_MIRROR:+"$PROVEN_DEBIAN_MIRROR"} >"$work/debootstrap.log" 2>&1 ||
  { tail "$work/debootstrap.log"; exit 1; }
for file in /etc/resolv.conf /etc/apt/apt.conf.d/*proxy*; do
  [ -e "$file" ] && mkdir -p "$root/$(dirname "$file")" && cp -L "$file" "$root/$file"
done
mkdir "$root/job"
cp "$packages"/*.deb "$here"/*.json "$here"/*.urdf "$here"/consumer/main.cpp "$here"/../../examples/10_from_c.c "$root/job"
in_root() { chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }

in_root sh -ec '
  cd /job
  apt-get update >/dev/null
  apt-get install -y --no-install-recommends ./proven_*.deb ./python3-proven_*.deb
  proven --version
  proven demo --report demo.html
  proven check scene.json free.json --certificate free.proof
  proven verify scene.json free.json free.proof
  python3 -c "import proven; print(proven.check(proven.load_scene(\"scene.json\"), [[0.0], [6.0]]))"
  apt-get install -y --no-install-recommends ./libproven-dev_*.deb g++ >/dev/null
  g++ -std=c++20 main.cpp -o consumer $(pkg-config --cflags --libs proven)
  ./consumer scene.json free.json
  apt-get install -y --no-install-recommends ./libproven1_*.deb >/dev/null
  gcc -std=c11 10_from_c.c -o from_c $(pkg-config --cflags --libs proven-c)
  ./from_c | grep "4.0 rad: collision"
  apt-get remove -y proven libproven-dev libproven1 python3-proven >/dev/null
  [ ! -e /usr/bin/proven ]' >"$work/job.log" 2>&1 || { tail -n 40 "$work/job.log"; exit 1; }
tail -n 3 "$work/job.log"
echo passed
