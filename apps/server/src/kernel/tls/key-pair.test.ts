/** Named files: what they may hold, and the sentence about everything else. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Authority, openAuthority, openssl, type PairFiles } from './authority-fixture.ts'
import { whyNotTrusted } from './describe.ts'
import { readKeyPair } from './key-pair.ts'

const SETTINGS = { certificate: 'SALLYPORT_TLS_CERTIFICATE', key: 'SALLYPORT_TLS_KEY' }

let authority: Authority
let pair: PairFiles
let other: PairFiles
beforeAll(() => {
  authority = openAuthority()
  pair = authority.issue('pair', ['door.example.com'])
  other = authority.issue('other', ['door.example.com'])
})
afterAll(() => authority?.close())

const at = (name: string) => join(authority.folder, name)
function written(name: string, text: string): string {
  writeFileSync(at(name), text)
  return at(name)
}
const refusal = (files: Partial<PairFiles>) =>
  readKeyPair({ ...pair, ...files }, SETTINGS).then(
    () => 'taken',
    (error: Error) => error.message,
  )

test('a certificate with its chain and its key is taken', async () => {
  const chain = written('chain.crt', `${readFileSync(pair.certificate, 'utf8')}\n${authority.pem}`)
  expect(await refusal({ certificate: chain })).toBe('taken')
})

test('files that hold no pair are refused in a sentence with the name of its setting and what to do', async () => {
  const [certificate, key] = [/^SALLYPORT_TLS_CERTIFICATE \(.*\) /, /^SALLYPORT_TLS_KEY \(.*\) /].map(
    ({ source }) => source,
  )
  const refused = async (files: Partial<PairFiles>, words: string) =>
    expect(await refusal(files)).toMatch(new RegExp(words))

  await refused({ certificate: at('none') }, '^SALLYPORT_TLS_CERTIFICATE names a file that cannot be read: ENOENT')
  await refused({ key: authority.folder }, '^SALLYPORT_TLS_KEY names a file that cannot be read: EISDIR')
  await refused({ certificate: pair.key }, `${certificate}holds a key and no certificate: are the two files swapped\\?`)
  await refused({ key: pair.certificate }, `${key}holds a certificate and no key: are the two files swapped\\?`)
  await refused({ certificate: written('text.crt', 'hello') }, `${certificate}holds no certificate in PEM`)
  await refused({ key: written('empty.key', '') }, `${key}holds no key in PEM`)
  await refused({ certificate: written('large.crt', 'x'.repeat(1024 * 1024 + 1)) }, `${certificate}is too large`)
  await refused({ key: other.key }, `${key}is not the key of SALLYPORT_TLS_CERTIFICATE`)
  const backwards = written('backwards.crt', `${authority.pem}\n${readFileSync(pair.certificate, 'utf8')}`)
  await refused({ certificate: backwards }, `${certificate}must begin with .*number 2`)
  const cut = written(
    'cut.crt',
    readFileSync(pair.certificate, 'utf8').replace(/\n[^\n]+\n[^\n]+\n-----END/, '\n-----END'),
  )
  await refused({ certificate: cut }, `${certificate}holds a certificate that cannot be read`)
  openssl('pkey', '-in', pair.key, '-aes256', '-passout', 'pass:secret', '-out', at('locked.key'))
  await refused({ key: at('locked.key') }, `${key}is locked by a passphrase: .*openssl pkey`)
  const short = ['-newkey', 'rsa:1024', '-nodes', '-days', '2', '-subj', '/CN=short']
  openssl('req', '-x509', ...short, '-keyout', at('short.key'), '-out', at('short.crt'))
  await refused({ certificate: at('short.crt'), key: at('short.key') }, `${certificate}and .* cannot be used: .*small`)
})

test('clients trust a certificate by who signed it and whether its time is now', async () => {
  const trustOf = async (files: PairFiles) => whyNotTrusted(await readKeyPair(files, SETTINGS))
  expect(await trustOf(pair)).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  const distrust = authority.trust()
  try {
    expect(await trustOf(pair)).toBeUndefined()
    expect(await trustOf(authority.issue('ended', ['door.example.com'], -1))).toBe('CERT_HAS_EXPIRED')
  } finally {
    distrust()
  }
})
