/** Keys that OpenSSH, PuTTY and OpenSSL have made, as people paste them. */
import { execFileSync } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readPrivateKey } from './private-key.ts'
import { readPublicKey } from './public-key.ts'
import { field } from './wire.ts'

const folder = mkdtempSync(join(tmpdir(), 'sallyport-keys-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const at = (name: string) => join(folder, name)
const read = (name: string): string => readFileSync(at(name), 'utf8')
const run = (program: string, ...args: string[]) => execFileSync(program, args, { encoding: 'utf8', cwd: folder })
const PASSPHRASE = 'open sesame'
writeFileSync(at('passphrase'), PASSPHRASE)

const TYPES = { ed25519: [], rsa: ['-b', '2048'], ecdsa: ['-b', '256'], 'ecdsa-521': ['-b', '521'] } as const
for (const [name, bits] of Object.entries(TYPES))
  run('ssh-keygen', '-q', '-t', name.replace('-521', ''), ...bits, '-N', '', '-C', `my ${name}`, '-f', name)

const publicOf = (name: string): string => read(`${name}.pub`).trim()
const bodyOf = (line: string) => line.split(' ').slice(0, 2).join(' ')
const indented = (text: string) => text.replace(/^/gm, '    ').replaceAll('\n', '\r\n')
const onOneLine = (text: string) => text.trim().replaceAll('\n', ' ')

/** The body of the refusal. */
const refusal = async (reading: () => unknown) => {
  try {
    await reading()
    return 'it was read'
  } catch (error) {
    return (error as { fields?: Record<string, string[]> }).fields ?? error
  }
}
const refusedKey = async (text: string, passphrase?: string) =>
  (await refusal(() => readPrivateKey(text, passphrase))) as Record<string, string[]>
const refusedPublic = async (text: string) => (await refusal(() => readPublicKey(text))) as Record<string, string[]>

test.each(Object.keys(TYPES))(
  'a %s key of PuTTY is read, of version 2 and 3, plain and locked, on lines of any kind',
  async (name) => {
    for (const version of ['2', '3'])
      for (const lock of [[], ['--new-passphrase', 'passphrase']]) {
        const file = `${name}-${version}-${lock.length}.ppk`
        run('puttygen', name, '-O', 'private', '-o', file, '--ppk-param', `version=${version}`, ...lock)
        for (const shape of [String, indented, onOneLine]) {
          const key = await readPrivateKey(shape(read(file)), lock.length ? PASSPHRASE : undefined)
          expect(key.publicKey).toBe(bodyOf(publicOf(name)))
          writeFileSync(at('stored'), key.privateKey, { mode: 0o600 })
          expect(bodyOf(run('ssh-keygen', '-y', '-P', '', '-f', 'stored').trim())).toBe(key.publicKey)
        }
        if (!lock.length) continue
        expect(await refusedKey(read(file), 'guess')).toEqual({
          private_key: ['The private key or its passphrase is not valid'],
        })
        expect((await refusedKey(read(file))).private_key?.[0]).toContain('locked with a passphrase')
      }
  },
)

test('a key of PuTTY whose passphrase takes gigabytes to check is not begun with', async () => {
  const text = read('ed25519-3-2.ppk')
  for (const [name, value] of [
    ['Memory', '4000000'],
    ['Passes', '4000000'],
    ['Parallelism', '4000'],
  ])
    expect(
      (await refusedKey(text.replace(new RegExp(`(Argon2-${name}: )\\d+`), `$1${value}`), PASSPHRASE)).private_key?.[0],
    ).toContain('takes too long to check')
})

test.each([
  ['OpenSSH', []],
  ['PKCS#8', ['-m', 'PKCS8']],
  ['PEM', ['-m', 'PEM']],
] as const)('a key as %s is read, locked or not, indented, on one line, or among other text', async (_, form) => {
  for (const passphrase of ['', PASSPHRASE]) {
    writeFileSync(at('rewritten'), read('rsa'), { mode: 0o600 })
    run('ssh-keygen', '-q', '-p', ...form, '-P', '', '-N', passphrase, '-f', 'rewritten')
    const text = read('rewritten')
    for (const pasted of [
      text,
      indented(text),
      onOneLine(text),
      JSON.stringify(text).slice(1, -1),
      `my key:\n\n${text}\nand a note`,
      `${text}\n${publicOf('rsa')}\n`,
    ])
      expect((await readPrivateKey(pasted, passphrase || undefined)).publicKey).toBe(bodyOf(publicOf('rsa')))
    if (passphrase) expect((await refusedKey(text)).private_key?.[0]).toContain('locked with a passphrase')
    if (passphrase) expect((await refusedKey(text, 'guess')).private_key?.[0]).toContain('is not valid')
  }
})

/** As OpenSSH writes it, without the private half that no test needs. */
function openSsh(type: string, { cipher = 'none', rounds = 0, count = 1 } = {}): string {
  const options = rounds ? Buffer.concat([field(Buffer.alloc(16)), Buffer.from([0, 0, 0, 0])]) : Buffer.alloc(0)
  if (rounds) options.writeUInt32BE(rounds, 20)
  const body = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    ...[cipher, rounds ? 'bcrypt' : 'none'].map((text) => field(Buffer.from(text))),
    field(options),
    Buffer.from([0, 0, 0, count]),
    field(Buffer.concat([field(Buffer.from(type)), field(Buffer.alloc(32))])),
    field(Buffer.alloc(64)),
  ])
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${body.toString('base64')}\n-----END OPENSSH PRIVATE KEY-----\n`
}

run('puttygen', 'rsa', '-O', 'private-sshcom', '-o', 'ssh.com')
run('ssh-keygen', '-q', '-t', 'ed25519', '-Z', 'chacha20-poly1305@openssh.com', '-N', PASSPHRASE, '-f', 'chacha')
run('openssl', 'genpkey', '-algorithm', 'ed448', '-out', 'ed448')
run('openssl', 'dsaparam', '-out', 'dsa.parameters', '1024')
run('openssl', 'gendsa', '-out', 'dsa', 'dsa.parameters')
run('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'x', '-out', 'x509', '-subj', '/CN=a')

test.each<[string, () => string, ...string[]]>([
  ['of SSH.com', () => read('ssh.com'), 'SSH.com', 'puttygen FILE -O private-openssh -o NEWFILE'],
  ['encrypted with ChaCha20', () => read('chacha'), 'chacha20-poly1305', 'ssh-keygen -p -Z aes256-ctr -f FILE'],
  ['of PuTTY of version 1', () => 'PuTTY-User-Key-File-1: ssh-rsa', 'PPK 1', 'puttygen'],
  [
    'with too many rounds',
    () => openSsh('ssh-rsa', { cipher: 'aes256-ctr', rounds: 100_000 }),
    'too long',
    'ssh-keygen -p -a 16',
  ],
  ['of type DSA', () => read('dsa'), 'DSA'],
  ['of type DSA, of OpenSSH', () => openSsh('ssh-dss'), 'DSA'],
  ['of type Ed448', () => read('ed448'), 'of this type', 'ed25519'],
  ['of a security key', () => openSsh('sk-ssh-ed25519@openssh.com'), 'security key'],
  ['twice', () => `${read('rsa')}\n${read('ed25519')}`, 'more than one'],
  ['of two in one file', () => openSsh('ssh-rsa', { count: 2 }), 'more than one'],
  ['that is the public one', () => publicOf('rsa'), 'This is a public key'],
  ['that is a certificate', () => read('x509'), 'This is a certificate'],
])('a private key %s is refused with its reason, and what helps', async (_, text, ...messages) => {
  const { private_key = [] } = await refusedKey(text(), PASSPHRASE)
  for (const words of messages) expect(private_key[0]).toContain(words)
})

test.each(Object.keys(TYPES))('a public %s key is read as a line, wrapped, of RFC 4716 and of PEM', (name) => {
  const line = publicOf(name)
  const parsed = (text: string) => readPublicKey(text)
  const fingerprint = run('ssh-keygen', '-l', '-E', 'md5', '-f', `${name}.pub`).split(' ')[1]
  expect(parsed(`  ${line}\n`)).toEqual({ text: line, comment: `my ${name}`, md5: fingerprint?.replace('MD5:', '') })
  expect(parsed(`# made yesterday\n${line}\n\n`).text).toBe(line)
  expect(parsed(line.replace(/(.{40})/g, '$1\n').replace(/\s+my[\s\S]*/, '')).text).toBe(bodyOf(line))
  const exported = parsed(run('ssh-keygen', '-e', '-m', 'RFC4716', '-f', `${name}.pub`))
  expect(bodyOf(exported.text)).toBe(bodyOf(line))
  expect(exported.comment).not.toBe('')
  const pem = run('ssh-keygen', '-e', '-m', 'PKCS8', '-f', `${name === 'ed25519' ? 'rsa' : name}.pub`)
  expect(parsed(pem).text).toBe(bodyOf(publicOf(name === 'ed25519' ? 'rsa' : name)))
})

test('a public ed25519 key as PEM is the same key', () => {
  const [, body = ''] = publicOf('ed25519').split(' ')
  const x = Buffer.from(body, 'base64').subarray(-32).toString('base64url')
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
  expect(readPublicKey(String(key.export({ format: 'pem', type: 'spki' }))).text).toBe(bodyOf(publicOf('ed25519')))
})

const lineOf = (type: string) =>
  `${type} ${Buffer.concat([field(Buffer.from(type)), field(Buffer.alloc(32, 7)), field(Buffer.from('ssh:'))]).toString('base64')} a@b`

test.each([
  ['of a security key', () => lineOf('sk-ssh-ed25519@openssh.com'), 'security key'],
  ['of a security key, ECDSA', () => lineOf('sk-ecdsa-sha2-nistp256@openssh.com'), 'security key'],
  ['of type DSA', () => lineOf('ssh-dss'), 'DSA'],
  ['with a certificate', () => lineOf('ssh-ed25519-cert-v01@openssh.com'), 'certificate'],
  ['with options', () => `from="10.0.0.0/8",no-pty ${publicOf('rsa')}`, 'Options'],
  ['with a command that has a key in it', () => `command="echo x" ${publicOf('ed25519')}`, 'Options'],
  ['with another', () => `${publicOf('rsa')}\n${publicOf('ed25519')}`, 'more than one'],
  ['with another on its line', () => `${publicOf('rsa')} ${publicOf('ed25519')}`, 'more than one'],
  ['that is the private one', () => read('ed25519'), 'private key'],
  ['that is the private one of PuTTY', () => read('ed25519-3-2.ppk'), 'private key'],
  ['that is cut', () => publicOf('rsa').slice(0, 60), 'Not a valid'],
  ['that names another type', () => publicOf('rsa').replace('ssh-rsa', 'ssh-ed25519'), 'Not a valid'],
] as const)('a public key %s is refused with its reason', async (_, text, message) => {
  expect((await refusedPublic(text())).public_key?.[0]).toContain(message)
})
