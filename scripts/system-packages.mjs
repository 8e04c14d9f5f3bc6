/** Programs of the system that tests and benchmarks use. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fail } from './prepare.mjs'

/** Debian packages that tests and benchmarks use, each with files by which it is known. */
export const SYSTEM_PACKAGES = {
  chromium: ['/usr/bin/chromium'],
  'chromium-headless-shell': ['/usr/bin/chromium-headless-shell'],
  'firefox-esr': ['/usr/bin/firefox-esr'],
  'openssh-server': ['/usr/sbin/sshd'],
  'openssh-client': ['/usr/bin/ssh', '/usr/bin/ssh-keygen'],
  sudo: ['/usr/bin/sudo', '/usr/sbin/visudo'],
  zsh: ['/usr/bin/zsh'],
  dash: ['/usr/bin/dash'],
  rsync: ['/usr/bin/rsync'],
  git: ['/usr/bin/git'],
  lrzsz: ['/usr/bin/sz', '/usr/bin/rz'],
  'ansible-core': ['/usr/bin/ansible-playbook'],
  'python3-paramiko': ['/usr/lib/python3/dist-packages/paramiko/__init__.py'],
  'dropbear-bin': ['/usr/bin/dbclient'],
  'putty-tools': ['/usr/bin/plink', '/usr/bin/psftp', '/usr/bin/puttygen'],
  curl: ['/usr/bin/curl'],
  rsyslog: ['/usr/sbin/rsyslogd'],
  'rsyslog-gnutls': ['/usr/share/doc/rsyslog-gnutls'],
  'libssh-4': ['/usr/share/doc/libssh-4'],
  'python3-aiosmtpd': ['/usr/lib/python3/dist-packages/aiosmtpd/__init__.py'],
  busybox: ['/usr/bin/busybox'],
  yash: ['/usr/bin/yash'],
  'inetutils-telnetd': ['/usr/sbin/telnetd'],
  openssl: ['/usr/bin/openssl'],
  pebble: ['/usr/bin/pebble'],
  slapd: ['/usr/sbin/slapd', '/usr/sbin/slapadd'],
  'ldap-utils': ['/usr/bin/ldapmodify'],
  'samba-ad-dc': ['/usr/sbin/samba', '/usr/bin/samba-tool', '/usr/share/doc/samba-ad-dc'],
  // Without it no domain can be made; the one above only recommends it.
  'samba-ad-provision': ['/usr/share/samba/setup/ad-schema'],
  'ldb-tools': ['/usr/bin/ldbmodify'],
  freeradius: ['/usr/sbin/freeradius'],
  haproxy: ['/usr/sbin/haproxy'],
  'mariadb-server': ['/usr/sbin/mariadbd', '/usr/bin/mariadb-install-db'],
  'mariadb-client': ['/usr/bin/mariadb', '/usr/bin/mariadb-dump', '/usr/bin/mysqlslap'],
  'python3-redis': ['/usr/lib/python3/dist-packages/redis/__init__.py'],
  'python3-pymysql': ['/usr/lib/python3/dist-packages/pymysql/__init__.py'],
  'redis-server': ['/usr/bin/redis-server'],
  'redis-tools': ['/usr/bin/redis-cli'],
  'kubernetes-client': ['/usr/bin/kubectl'],
  postgresql: ['/usr/bin/psql', '/usr/bin/pg_ctlcluster'],
  'docker-compose': ['/usr/bin/docker-compose'],
  '7zip': ['/usr/bin/7zz'],
  'freerdp2-x11': ['/usr/bin/xfreerdp'],
  'freerdp2-shadow-x11': ['/usr/bin/freerdp-shadow-cli'],
  'tigervnc-standalone-server': ['/usr/bin/Xtigervnc'],
  'tigervnc-viewer': ['/usr/bin/xtigervncviewer'],
  'x11-utils': ['/usr/bin/xmessage'],
  'x11-apps': ['/usr/bin/ico'],
  'winpr-utils': ['/usr/bin/winpr-hash'],
  xrdp: ['/usr/sbin/xrdp', '/usr/lib/x86_64-linux-gnu/xrdp/libvnc.so'],
  systemd: ['/usr/bin/systemd-analyze', '/usr/bin/systemd-notify'],
  pgbouncer: ['/usr/sbin/pgbouncer'],
  'nginx-light': ['/usr/sbin/nginx'],
  caddy: ['/usr/bin/caddy'],
  apache2: ['/usr/sbin/apache2'],
}

/** Those of benchmarks alone, which tests do without. */
const BENCH_PACKAGES = { parallel: ['/usr/bin/parallel'] }
/** Those of `npm run test:release` alone. */
export const RELEASE_PACKAGES = {
  debootstrap: ['/usr/sbin/debootstrap'],
  podman: ['/usr/bin/podman'],
  buildah: ['/usr/bin/buildah'],
  runc: ['/usr/sbin/runc'],
  'fuse-overlayfs': ['/usr/bin/fuse-overlayfs'],
  iproute2: ['/usr/bin/ip'],
  'qemu-user-static': ['/usr/bin/qemu-aarch64-static'],
}
const PACKAGES = { ...SYSTEM_PACKAGES, ...BENCH_PACKAGES, ...RELEASE_PACKAGES }

/** Those of these packages that are not installed here. */
export function missingPackages(names = Object.keys(SYSTEM_PACKAGES)) {
  return names.filter((name) => !PACKAGES[name].every((path) => existsSync(path)))
}

/** Whether packages can be installed from here. */
export function canInstall() {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
}

/** How a person installs them. */
export function installCommand(names) {
  return `sudo apt-get install --no-install-recommends ${names.join(' ')}`
}

/**
 * Installs those of these packages that are missing; without root or apt-get, or where one cannot be had, it ends with
 * their names.
 * @param need how the sentence about what is missing begins
 */
export function installSystemPackages(names, need) {
  const missing = canInstall() ? installWhatCanBeHad(names) : missingPackages(names)
  if (missing.length)
    fail(`${need} these Debian packages: ${missing.join(', ')}\nInstall them with: ${installCommand(missing)}`)
}

/** Installs those of these packages that are missing, as root; answers those that could not be had. */
export function installWhatCanBeHad(names) {
  const missing = missingPackages(names)
  if (!missing.length) return []
  console.log(`Installing ${missing.join(', ')} …`)
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const aptGet = (...parameters) =>
    spawnSync('apt-get', parameters, { stdio: ['ignore', 'ignore', 'inherit'], env: environment }).status === 0
  const install = (some) => aptGet('install', '-y', '-q', '--no-install-recommends', ...some)
  // Another release of Debian may lack one of them, for which apt-get installs none.
  if (!install(missing) && !(aptGet('update', '-q') && install(missing))) for (const name of missing) install([name])
  return missingPackages(missing)
}
