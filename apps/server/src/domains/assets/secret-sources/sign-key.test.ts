/** Keys that a store signs, by the stand-in of Vault, whose certificates are made by ssh-keygen. */
import { execFileSync } from 'node:child_process'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { TargetAddresses } from '../../../kernel/outbound/target-addresses.ts'
import { generateSshKey } from '../../../kernel/ssh/keys/plain-key.ts'
import type { assetsSecretSource } from '../tables.ts'
import { signKey } from './sign-key.ts'
import { ROLE_ID, SECRET_ID, type StandIn, startVault } from './vault-fixture.ts'

let vault: StandIn
let source: typeof assetsSecretSource.$inferSelect
beforeAll(async () => {
  vault = await startVault()
  source = {
    ...{ kind: 'vault', address: vault.url, namespace: '', engine: 'secret', ca_certificate: '', timeout: 5 },
    ...{ authentication: 'approle', role_id: ROLE_ID, secret_id_sealed: Buffer.from(SECRET_ID), token_sealed: null },
    ...{ id: 'source', name: 'Vault' },
  } as typeof source
})
afterEach(() => {
  vault.instead = undefined
})
afterAll(() => vault?.close())

const { publicKey } = generateSshKey()
const ask = (role = 'machines', key = publicKey) =>
  signKey(
    { targetAddresses: new TargetAddresses() },
    source,
    { engine: 'ssh', role },
    { publicKey: key, username: 'deploy', seconds: 300 },
    (sealed) => sealed.toString(),
  )

test('a key is signed for one account, by the authority that machines trust', async () => {
  const certificate = await ask()
  const shown = execFileSync('ssh-keygen', ['-L', '-f', '-'], { input: certificate, encoding: 'utf8' })
  const authority = execFileSync('ssh-keygen', ['-lf', '-'], { input: vault.sshAuthority, encoding: 'utf8' })
  expect(shown).toContain('user certificate')
  expect(shown).toContain(`Signing CA: ED25519 ${authority.split(' ')[1]}`)
  expect(shown).toMatch(/Principals:\s+deploy\s+Critical/)
  expect(vault.tokens.size).toBe(0)
})

test('an answer that is no certificate of this key is refused, and so is a role that does not exist', async () => {
  await expect(ask('others')).rejects.toMatchObject({ code: 'secret_source_failed', values: { status: 400 } })
  const another = vault.sign(generateSshKey().publicKey, 'deploy')
  for (const signed_key of [another, publicKey, 'ssh-ed25519-cert-v01@openssh.com AAAA', '', 7, undefined]) {
    vault.instead = ({ url }, response) =>
      void response.end(
        JSON.stringify(url?.includes('/sign/') ? { data: { signed_key } } : { auth: { client_token: 'token' } }),
      )
    await expect(ask()).rejects.toThrow('answers what cannot be read')
  }
})
