/** Certificates as ssh-keygen reads them. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { generateSshKey } from '../keys/plain-key.ts'
import { CERTIFICATE_TYPE, certifiedKey, type UserCertificate } from './user-certificate.ts'

const folder = mkdtempSync(join(tmpdir(), 'sallyport-certificate-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const terms: UserCertificate = {
  principal: 'deploy,root',
  keyId: 'person=alice session=5',
  validAfter: new Date('2030-01-02T03:04:05Z'),
  validBefore: new Date('2030-01-02T03:09:05Z'),
  sourceAddresses: ['10.0.0.0/8', 'fd00::1/128'],
  extensions: ['permit-pty', 'permit-port-forwarding'],
}

function read(certificate: Buffer): string {
  const file = join(folder, 'certificate.pub')
  writeFileSync(file, `${CERTIFICATE_TYPE} ${certificate.toString('base64')}\n`)
  return execFileSync('ssh-keygen', ['-L', '-f', file], { encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } })
}

test('ssh-keygen reads all that a certificate says: one name, whatever is in it, times, addresses and what it permits', () => {
  const authority = generateSshKey()
  writeFileSync(join(folder, 'authority.pub'), `${authority.publicKey}\n`)
  const fingerprint = execFileSync('ssh-keygen', ['-lf', join(folder, 'authority.pub')], { encoding: 'utf8' })
  const shown = read(certifiedKey(authority.privateKey, terms).certificate)
  expect(shown).toContain('Type: ssh-ed25519-cert-v01@openssh.com user certificate')
  expect(shown).toContain(`Signing CA: ED25519 ${fingerprint.split(' ')[1]}`)
  expect(shown).toContain('Key ID: "person=alice session=5"')
  expect(shown).toContain('Valid: from 2030-01-02T03:04:05 to 2030-01-02T03:09:05')
  expect(shown.match(/Principals: \n([\s\S]*?)\n\s+Critical/)?.[1]?.trim()).toBe('deploy,root')
  expect(shown).toMatch(/Critical Options: \n\s+source-address 10\.0\.0\.0\/8,fd00::1\/128\n/)
  expect(shown).toMatch(/Extensions: \n\s+permit-port-forwarding\n\s+permit-pty\n/)
})

test('each has its own key and serial number; without addresses and permissions it has none', () => {
  const { privateKey } = generateSshKey()
  const bare = { ...terms, sourceAddresses: [], extensions: [] }
  const [one, other] = [certifiedKey(privateKey, bare), certifiedKey(privateKey, bare)]
  expect(one.privateKey).not.toBe(other.privateKey)
  const [shown, second] = [read(one.certificate), read(other.certificate)]
  expect(shown).toMatch(/Critical Options: \(none\)\n\s+Extensions: \(none\)/)
  expect(shown.match(/Serial: (\d+)/)?.[1]).not.toBe(second.match(/Serial: (\d+)/)?.[1])
})

test('nothing is certified for no name, which would be good for all, nor by what is no key', () => {
  expect(() => certifiedKey(generateSshKey().privateKey, { ...terms, principal: '' })).toThrow('without a name')
  expect(() => certifiedKey(generateSshKey().publicKey, terms)).toThrow('not the key of an authority')
})
