/** Which tests use which programs of the system. */
import { basename } from 'node:path'
import { importsOf } from './check-imports.mjs'
import { sourceTexts, targetOf } from './reached-tests.mjs'
import { SYSTEM_PACKAGES } from './system-packages.mjs'
import { testFiles } from './test-files.mjs'

/** How tests name a package whose files do not say it. */
const NAMED = {
  'python3-paramiko': ['paramiko'],
  'python3-aiosmtpd': ['smtp-server-fixture.py'],
  'python3-redis': ['redis'],
  'python3-pymysql': ['pymysql'],
  'rsyslog-gnutls': ['rsyslogd'],
  'libssh-4': ['libssh.so.4'],
  xrdp: ['xrdp'],
  'samba-ad-provision': ['samba-tool'],
}

/** Code that is there for tests alone; those of the console start nothing. */
const IS_OF_TESTS = /^(?!apps\/console\/).*(\.(test|spec)\.|-fixture\.)|^apps\/server\/test\/|^e2e\//
const STARTS_PROGRAMS = /child_process|run-to-end/
/** Words that are in many files which start nothing: protocols, and examples of commands. */
const EVERYDAY = new Set(['ssh', 'sudo', 'git', 'curl', 'redis', 'mariadb', 'psql', 'openssl'])
/** Accounts of the machine, which root alone can make. */
const MAKES_ACCOUNTS = /keepAccounts\('useradd'|which root alone may/

/**
 * The test files that use one of these packages, themselves or by what they import, with those that
 * each uses: a file that names a program is taken to start it.
 * @param {string[]} packages names of SYSTEM_PACKAGES, and `root` for the right to make accounts
 * @returns {Map<string, string[]>}
 */
export function filesThatLack(packages, texts = packages.length ? sourceTexts() : new Map()) {
  const ofTests = new Map([...texts].filter(([path]) => IS_OF_TESTS.test(path)))
  const used = new Map(
    [...ofTests].map(([path, text]) => [path, packages.filter((name) => name !== 'root' && uses(text, name))]),
  )
  const lacking = testFiles().map((file) => {
    const all = withImports(file, ofTests).flatMap((path) => used.get(path))
    // Fixtures do without such an account where there is no root.
    if (packages.includes('root') && MAKES_ACCOUNTS.test(ofTests.get(file))) all.push('root')
    return [file, [...new Set(all)]]
  })
  return new Map(lacking.filter(([, names]) => names.length))
}

function uses(text, name) {
  const words = NAMED[name] ?? SYSTEM_PACKAGES[name].map((path) => basename(path))
  const telling = STARTS_PROGRAMS.test(text) ? words : words.filter((word) => !EVERYDAY.has(word))
  const names = telling.map((word) => RegExp.escape(word)).join('|')
  return names !== '' && new RegExp(`(?<![\\w.-])(${names})(?![\\w-])`).test(text)
}

/** A file and all that it imports, among these. */
function withImports(file, texts, seen = new Set()) {
  if (seen.has(file) || !texts.has(file)) return []
  seen.add(file)
  const targets = importsOf(texts.get(file)).map((specifier) => targetOf(file, specifier))
  return [file, ...targets.flatMap((target) => (target ? withImports(target, texts, seen) : []))]
}
