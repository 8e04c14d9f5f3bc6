import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pushScript, removalScript } from './push-script.ts'

let folder: string
const password = 'Bsd-7q!x $HOME'
const at = (name: string) => join(folder, name)

/** Tools of FreeBSD, as pw(8), getent(1) and su(1) have them: one account, kept in files. No FreeBSD was at hand. */
const TOOLS: Readonly<Record<string, string>> = {
  uname: 'echo FreeBSD',
  id: `[ -e $T/account ] || exit 1
case "$1" in -nG) cat $T/groups;; esac`,
  getent: `case "$1" in
group) grep -qx "$2" $T/known-groups;;
passwd) [ -e $T/account ] || exit 2; . $T/account; echo "bsd:$(cat $T/hash):1001:1001:$c:$d:$s";;
*) exit 1;; esac`,
  pw: `echo "pw $*" >> $T/arguments
what=$1; shift
while [ $# -gt 0 ]; do case "$1" in
-m) case $what in useradd) mkdir -p "$T/home"; shift;; *) m=$2; shift 2;; esac;;
-n) n=$2; shift 2;; -c) c=$2; shift 2;; -d) d=$2; shift 2;; -s) s=$2; shift 2;; -h) h=$2; shift 2;; *) exit 64;; esac; done
case $what in
groupadd) echo "$n" >> $T/known-groups;;
groupmod) echo "$(cat $T/groups) $n" > $T/groups;;
useradd) echo '*' > $T/hash; echo bsd > $T/groups; printf "c='%s' d='%s' s='%s'\\n" "$c" "$d" "$s" > $T/account;;
usermod) if [ "$h" = 0 ]; then IFS= read -r given; printf '%s\\n' "$given" | openssl passwd -6 -salt saltsalt -stdin > $T/hash; fi;;
userdel) rm $T/account;;
*) exit 64;; esac`,
  // Root's shell is not asked for anything but another one.
  su: `[ "$1 $2 $3 $4" = '-m bsd -c exec /bin/sh -c "$steps"' ] || exit 64
eval "$4"`,
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-freebsd-'))
  mkdirSync(at('bin'))
  for (const [name, script] of Object.entries(TOOLS)) {
    writeFileSync(at(`bin/${name}`), `#!/bin/sh\nT=${folder}\n${script}\n`)
    chmodSync(at(`bin/${name}`), 0o755)
  }
  // It comes with none.
  writeFileSync(at('bin/perl'), '#!/bin/sh\nexit 127\n', { mode: 0o755 })
  for (const name of ['known-groups', 'arguments']) writeFileSync(at(name), '')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(script: string, input = ''): string[] {
  const env = { PATH: `${at('bin')}:${process.env.PATH}` }
  const output = execFileSync('/bin/sh', ['-c', script], { input, env, encoding: 'utf8' })
  return output
    .trim()
    .split('\n')
    .map((line) => line.split('\t').slice(0, 2).join(' '))
}

test('[A3.17] on FreeBSD an account is made by pw, whose arguments hold no password; a second push changes nothing', () => {
  const account = {
    username: 'bsd',
    home: at('home'),
    shell: '/no/such/shell',
    groups: ['operators'],
    sudo: '',
    password,
    publicKey: 'ssh-ed25519 AAAAkey of somebody',
  }
  const { script, stdin } = pushScript(account)
  expect(run(script, stdin)).toEqual(['@@user changed', '@@password changed', '@@key changed', '@@sudo same'])
  expect(run(script, stdin)).toEqual(['@@user same', '@@password same', '@@key same', '@@sudo same'])
  expect(readFileSync(at('home/.ssh/authorized_keys'), 'utf8')).toBe(`${account.publicKey}\n`)
  const typed = readFileSync(at('arguments'), 'utf8')
  expect(typed.split('\n').filter(Boolean)).toEqual([
    'pw groupadd -n operators',
    `pw useradd -n bsd -c Made by Sallyport -m -d ${at('home')} -s /bin/sh`,
    'pw groupmod -n operators -m bsd',
    'pw usermod -n bsd -h 0',
  ])
  const other = pushScript({ ...account, password: 'another', shell: '/no/such/nologin' })
  expect(run(other.script, other.stdin).slice(0, 2)).toEqual(['@@user changed', '@@password changed'])
  expect(readFileSync(at('arguments'), 'utf8')).toContain('pw usermod -n bsd -s /usr/sbin/nologin\n')
  expect(run(removalScript('bsd'))).toEqual(['@@sudo same', '@@user changed'])
  expect(existsSync(at('account'))).toBe(false)
})
