import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { KeyRing } from './key-ring.ts'
import { newKey } from './secret-key.ts'
import { createVault } from './vault.ts'

const SOURCE = fileURLToPath(new URL('../../', import.meta.url))
const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !/(\.test|-fixture)\.ts$/.test(path))
  .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(SOURCE + path, 'utf8') }))
const product = files.filter(({ path }) => !path.startsWith('kernel/secrets/'))

test('a value that cannot be opened says what for, and never what it is', () => {
  const sealed = createVault(new KeyRing([newKey()])).seal('hunter2')
  const other = createVault(new KeyRing([newKey()]))
  expect(() => other.open('session', 'asset 1 for Ann')(sealed)).toThrow(
    'a secret cannot be opened (session: asset 1 for Ann)',
  )
})

test('nobody but the vault reaches what opens sealed values, and nobody else deciphers', () => {
  expect(product.length).toBeGreaterThan(400)
  const reaching = product.filter(({ text }) => /['"][^'"]*secrets\/(secrets|reseal)\.ts['"]/.test(text))
  expect(reaching.map(({ path }) => path)).toEqual([])
  const deciphering = files.filter(({ text }) => /createDecipheriv|createCipheriv|subtle\.(de|en)crypt/.test(text))
  // Besides the vault's own: files for people who open them without Sallyport, a login that existing
  // pages encrypt under their CSRF token on the way here, the proof of a password that VNC servers
  // want, rows of results under a key of the process alone, keys as PuTTY locks them, the packets of
  // SSH, and the secrets of another product, under its own key, on their way into the vault.
  expect(deciphering.map(({ path }) => path).sort()).toEqual([
    'admin/import-jumpserver/secrets/block-forms.ts',
    'admin/import-jumpserver/secrets/gcm-form.ts',
    'admin/import-jumpserver/secrets/read-keys.ts',
    'domains/accounts/break-glass/bundle-file.ts',
    'domains/system-users/typed-login.ts',
    'gateway/connectors/vnc/des-answer.ts',
    'gateway/workbench/kept-file.ts',
    'kernel/secrets/secrets.ts',
    'kernel/ssh/keys/putty-key.ts',
    'kernel/ssh/ssh2/prepared-ciphers.ts',
  ])
})

test('this list names every file that opens secrets, with its purpose', () => {
  const opening = product.flatMap(({ path, text }) =>
    [...text.matchAll(/\bsecrets\s*\.\s*(open|handOut)\(([^'"`)]*['"`](\w+)['"`])?/g)].map(
      ([, , , purpose]) => `${purpose}: ${path}`,
    ),
  )
  expect([...new Set(opening)].sort()).toEqual(OPENERS)
})

test('the secrets of logins are read where accounts are chosen, and in these places alone', () => {
  const reading = product.filter(({ text }) => /\w\(\s*(\w+\.)*(password|private_key|token)_sealed\s*\)/.test(text))
  expect(reading.map(({ path }) => path).sort()).toEqual(LOGIN_READERS)
})

/**
 * Files that open columns of a login without `openLogin`; `chosen-account.ts` alone picks the
 * secret of a connection.
 */
const LOGIN_READERS: string[] = [
  // The new secrets of a plan.
  'domains/accounts/executions/change-one.ts',
  // No login's: the key of an authority, which certifies them.
  'domains/assets/authorities/certified-keys.ts',
  // Shown to a component that asks for this very row.
  'domains/assets/networks/gateway.resource.ts',
  // What signs in to a store outside, which is no login of a target.
  'domains/assets/secret-sources/fetch-secret.ts',
  'domains/system-users/system-user-secrets.ts',
  // The token of a cluster's system user, which accounts have none of.
  'domains/system-users/target.ts',
  // Secrets that a person typed.
  'domains/system-users/temporary-auth.ts',
]

/** Add a line only for code that has to have the plain secret. */
const OPENERS: string[] = [
  'audit: domains/audits/chain.ts',
  'audit: domains/audits/root-key.ts',
  'backup: domains/backups/restore/restore.ts',
  'backup: domains/backups/restore/verify.ts',
  'backup: domains/backups/sealed-key.ts',
  'certificate: domains/assets/authorities/certified-keys.ts',
  'component: domains/applications/connection-info.ts',
  'component: domains/assets/networks/gateway.resource.ts',
  'component: domains/authentication/connection-token/register.ts',
  'component: domains/system-users/system-user-secrets.ts',
  'component: domains/terminal/storages/handed-out.ts',
  'export: domains/applications/application-account.resource.ts',
  'export: domains/system-users/accounts/account-secrets.ts',
  'host_key: domains/terminal/host-key.ts',
  'host_key: kernel/tls/acme/renewal.ts',
  'import: kernel/resource/import-job/work.ts',
  'job: domains/accounts/executions/change-one.ts',
  'job: domains/accounts/rotation/open-task.ts',
  'job: domains/cloud/accounts/open-account.ts',
  'job: domains/ops/runbooks/runbook-file.ts',
  'job: domains/ops/tasks/become.ts',
  'job: domains/system-users/hosts/open-host.ts',
  'job: domains/system-users/tasks/push/push.ts',
  'job: gateway/batch/run-on-machine.ts',
  'message: domains/notifications/chats/chat-queue.ts',
  'message: domains/notifications/mail.ts',
  'message: domains/notifications/messengers/message-queue.ts',
  'message: domains/notifications/webhooks/deliver.ts',
  'message: domains/users/profile/file-passwords.ts',
  'reveal: domains/system-users/accounts/account-history.ts',
  'run: gateway/batch/hand-over.ts',
  'session: domains/authentication/connection-token/stored-token.ts',
  'session: gateway/files/open-asset-files.ts',
  'session: gateway/listeners/web/cluster-contents.ts',
  'session: gateway/opening/open-session.ts',
  'setting: domains/settings/store.ts',
  'setting: domains/settings/take-back.ts',
  'sign_in: domains/authentication/credentials/access-key.resource.ts',
  'sign_in: domains/authentication/credentials/bearer-token.ts',
  'sign_in: domains/authentication/credentials/identify.ts',
  'sign_in: domains/authentication/ldap/sources.ts',
  'sign_in: domains/authentication/password-transport.ts',
  'sign_in: domains/authentication/people-sources/kept-secret.ts',
  'sign_in: domains/authentication/people-sources/sources.ts',
  'sign_in: domains/authentication/radius/sources.ts',
  'sign_in: domains/authentication/second-factor/mfa-pages.ts',
  'sign_in: domains/authentication/single-sign-on/openid/sign-out.ts',
  'sign_in: domains/authentication/single-sign-on/saml2/sign-out.ts',
  'sign_in: domains/authentication/single-sign-on/saml2/taken-assertions.ts',
  'sign_in: domains/users/profile/otp.ts',
  'sign_in: domains/users/profile/public-key.ts',
  'storage: domains/terminal/commands/elastic/command-indices.ts',
  'storage: domains/terminal/recording/storages/outside-stores.ts',
  'test: domains/accounts/try-login.ts',
  'test: domains/assets/networks/first-contact.ts',
  'test: domains/assets/networks/gateway.resource.ts',
  'test: domains/assets/secret-sources/secret-source.resource.ts',
]
