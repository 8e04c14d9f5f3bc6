import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { type Call, callerOf } from '../../../kernel/access/call.ts'
import { recordOwnChange } from '../../../kernel/audit/own-change.ts'
import { AppError, invalid, notFound, refused } from '../../../kernel/errors/app-error.ts'
import { attachment } from '../../../kernel/http/attachment.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { utils } from '../../../kernel/ssh/ssh2/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { usersUser } from '../tables.ts'
import { PROFILE_PATH, saveProfile } from './profile.ts'

const access = ['authenticated'] as const
/** Also the answer of the administrator's reset when people call it for themselves. */
export const OWN_MFA = 'Turn your own MFA off on your profile page'
const KEY_BITS = 2048
const makeKeyPair = promisify(generateKeyPair)
const publicKeyBody = z.object({ public_key: z.string().min(1).max(2048) })
const filePassword = z.string().min(1).max(128)
const filePasswordBody = z.object({ new_secret_key: filePassword, new_secret_key_again: filePassword })

const OWN_KEY = { fields: plainFields({ public_key_comment: 'string', public_key_hash_md5: 'string' }) }
const EMPTY = { fields: {} }

/** What people do to their own keys (docs/rules/users.md#profile). */
export function registerOwnSecrets(kernel: Kernel): void {
  registerPublicKey(kernel)
  registerFilePassword(kernel)
  kernel.app.route({
    method: 'GET',
    url: `${PROFILE_PATH}mfa/reset/`,
    config: { access: ['org_admin'], summary: 'Refuses: nobody resets their own second factor this way' },
    handler: ({ call }) => {
      throw new AppError(400, 'bad_request', OWN_MFA, { body: { error: translate(call.language, OWN_MFA) } })
    },
  })
}

function registerPublicKey(kernel: Kernel): void {
  const { app } = kernel
  app.route({
    method: 'GET',
    url: `${PROFILE_PATH}public-key/`,
    config: {
      access,
      summary: 'My SSH public key',
      answers: OWN_KEY,
    },
    handler: ({ call }) => ownKey(kernel, call),
  })
  app.route({
    method: ['PUT', 'PATCH'],
    url: `${PROFILE_PATH}public-key/`,
    config: { access, opensWayIn: true, summary: 'Replace my SSH public key', takes: publicKeyBody, answers: OWN_KEY },
    handler: async (request) => {
      const { public_key } = publicKeyBody.parse(request.body ?? {})
      await saveProfile(kernel, request.call, { public_key })
      return ownKey(kernel, request.call)
    },
  })
  app.route({
    method: ['PUT', 'PATCH'],
    url: '/api/v1/users/users/:id/pubkey/update/',
    config: {
      access,
      opensWayIn: true,
      summary: 'Replace my SSH public key (old address)',
      takes: publicKeyBody,
      answers: { fields: plainFields({ id: 'uuid', public_key: 'text' }) },
    },
    handler: async (request) => {
      const { id } = request.params as { id: string }
      if (id !== callerOf(request.call).id) throw notFound()
      const { public_key } = publicKeyBody.parse(request.body ?? {})
      await saveProfile(kernel, request.call, { public_key })
      return { id, public_key }
    },
  })
  app.route({
    method: 'GET',
    url: '/core/auth/profile/pubkey/generate/',
    // The download is a GET that replaces the key: no foreign page may trigger it.
    config: {
      access,
      opensWayIn: true,
      changesOnGet: 'same_site',
      page: true,
      summary: 'Make a key pair for me and download its private half',
      answers: 'text',
    },
    handler: async (request, reply) => {
      if (!settingsOf(kernel).get('TERMINAL_PUBLIC_KEY_AUTH'))
        throw refused('public_key_auth_closed', 'Sign-in with SSH keys is turned off')
      const { username } = callerOf(request.call)
      const { privateKey } = await makeKeyPair('rsa', {
        modulusLength: KEY_BITS,
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      })
      await saveProfile(kernel, request.call, { public_key: publicHalf(privateKey, username) })
      const name = `${username}-sallyport.pem`
      return reply.type('text/plain').header('Content-Disposition', attachment(name)).send(privateKey)
    },
  })
}

/** One line in OpenSSH's form, with the person's name as comment. */
function publicHalf(privateKey: string, username: string): string {
  const parsed = utils.parseKey(privateKey)
  if (parsed instanceof Error) throw parsed
  return `${parsed.type} ${parsed.getPublicSSH().toString('base64')} ${username.replace(/\s+/g, '_')}`
}

async function ownKey(kernel: Kernel, call: Call) {
  const [row] = await kernel.db
    .select({ public_key_comment: usersUser.public_key_comment, public_key_hash_md5: usersUser.public_key_hash_md5 })
    .from(usersUser)
    .where(eq(usersUser.id, callerOf(call).id))
  return row
}

function registerFilePassword(kernel: Kernel): void {
  // Both can be written but never read; existing clients send OPTIONS first.
  for (const name of ['password', 'secret-key'])
    kernel.app.route({
      method: 'GET',
      url: `${PROFILE_PATH}${name}/`,
      config: { access, summary: 'Nothing: passwords are never read', answers: EMPTY },
      handler: () => ({}),
    })
  kernel.app.route({
    method: ['PUT', 'PATCH'],
    url: `${PROFILE_PATH}secret-key/`,
    config: {
      access,
      summary: 'Set the password of files that are sent to me',
      takes: filePasswordBody,
      answers: EMPTY,
    },
    handler: async (request) => {
      const { new_secret_key, new_secret_key_again } = filePasswordBody.parse(request.body ?? {})
      if (new_secret_key !== new_secret_key_again) throw invalid({ new_secret_key_again: 'The two passwords differ' })
      const { call } = request
      const user = callerOf(call)
      await kernel.db.transaction(async (db) => {
        await db
          .update(usersUser)
          .set({ secret_key_sealed: kernel.secrets.seal(new_secret_key) })
          .where(eq(usersUser.id, user.id))
        await recordOwnChange(kernel, db, call, [
          { field: 'secret_key', label: 'File encryption password', is_secret: true },
        ])
      })
      return {}
    },
  })
}
