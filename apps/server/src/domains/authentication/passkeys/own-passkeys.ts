import { randomBytes } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Call, callerOf } from '../../../kernel/access/call.ts'
import type { FieldChange } from '../../../kernel/audit/audit.ts'
import { recordOwnChange } from '../../../kernel/audit/own-change.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { notFound, refused } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { settingsOf } from '../../settings/index.ts'
import { findUser, switchOwnMfaOff } from '../../users/index.ts'
import { isMfaDue, isMfaForced } from '../../users/profile/index.ts'
import { mfaChoices } from '../factors/index.ts'
import { browserOf } from '../second-factor/browser-of.ts'
import { authenticationPasskey, type Passkey } from '../tables.ts'
import { keepCeremony, newCeremony, takeCeremony } from './ceremony.ts'
import { dueProof, requireProof } from './fresh-proof.ts'
import { notifyOfPasskey } from './notices.ts'
import { requireSite } from './site.ts'
import { passkeysOf } from './stored.ts'
import { base64url, creationOptions, newPasskeyAnswer, readNewPasskey } from './webauthn.ts'

export const PASSKEYS_PATH = '/api/v1/authentication/passkeys/'
/** Passkeys that one person may have. */
const MAX_PASSKEYS = 20
/** Random, so that an authenticator reveals nothing about the person (WebAuthn §14.6.1). */
const HANDLE_BYTES = 32

const access = ['authenticated'] as const
const name = z.string().trim().min(1).max(64)
const nameBody = z.object({ name })
const proofBody = z.object({ password: z.string().max(1024).optional() })
const addBody = z.object({ name, answer: newPasskeyAnswer })

/** Calls for one's own passkeys; in browsers only, since a passkey lives in one. */
export function registerOwnPasskeys(kernel: Kernel): void {
  registerAdding(kernel)
  registerChanges(kernel)
  kernel.app.route({
    method: 'GET',
    url: PASSKEYS_PATH,
    config: {
      access,
      summary: 'My passkeys, and what I must prove to change them',
      answers: {
        fields: plainFields({
          passkeys: 'list',
          proof: 'string',
          mfa_choices: 'list',
          mfa_enabled: 'boolean',
          mfa_forced: 'boolean',
          max: 'integer',
        }),
      },
    },
    handler: async ({ call }, reply) => {
      reply.header('Cache-Control', 'no-store')
      const { id } = callerOf(call)
      const person = await findUser(kernel.db, { id })
      return {
        passkeys: (await passkeysOf(kernel.db, id)).map((row) => present(row, call)),
        /** See `DueProof`. */
        proof: await dueProof(kernel, call),
        /** The second factors that the caller can prove now. */
        mfa_choices: await mfaChoices(kernel, id),
        mfa_enabled: person !== undefined && (await isMfaDue(kernel, person)),
        mfa_forced: person !== undefined && (await isMfaForced(kernel, kernel.db, person)),
        max: MAX_PASSKEYS,
      }
    },
  })
}

/**
 * Adding takes two calls, between which the browser has the authenticator make the key (WebAuthn
 * §7.1).
 */
function registerAdding(kernel: Kernel): void {
  const { app, db } = kernel
  app.route({
    method: 'POST',
    url: `${PASSKEYS_PATH}options/`,
    config: { access, summary: 'Begin to add a passkey', takes: proofBody },
    handler: async (request) => {
      const { password = '' } = proofBody.parse(request.body ?? {})
      const sessionId = browserOf(request)
      const settings = settingsOf(kernel)
      const site = requireSite(settings, request)
      await requireProof(kernel, request, password)
      const { id, name, username } = callerOf(request.call)
      const known = await passkeysOf(db, id)
      if (known.length >= MAX_PASSKEYS) throw tooMany(request.call)
      // A person has one handle at a site: a second passkey on the same authenticator replaces the
      // first, on purpose.
      const handle = known[0] ? base64url(known[0].user_handle) : randomBytes(HANDLE_BYTES).toString('base64url')
      const ceremony = newCeremony('add', site, handle)
      await keepCeremony(kernel, sessionId, ceremony)
      return creationOptions(
        ceremony,
        { name, username },
        settings.get('LOGIN_TITLE') || 'Sallyport',
        known.filter(({ rp_id }) => rp_id === site.rp_id),
      )
    },
  })
  app.route({
    method: 'POST',
    url: PASSKEYS_PATH,
    config: { access, summary: 'Add a passkey', answerStatus: 201, takes: addBody },
    handler: async (request, reply) => {
      const sessionId = browserOf(request)
      const { name, answer } = addBody.parse(request.body ?? {})
      const ceremony = await takeCeremony(kernel, sessionId, 'add')
      if (!ceremony) throw refused('passkey_run_out', 'That took too long: start again')
      const made = await readNewPasskey(answer, ceremony)
      if (!made) throw refused('passkey_failed', 'The passkey was not accepted. Try again, or take another device.')
      const row = await store(kernel, request.call, {
        ...made,
        name,
        rp_id: ceremony.rp_id,
        user_handle: Buffer.from(ceremony.user_handle ?? '', 'base64url'),
        transports: answer.response.transports ?? [],
      })
      await notifyOfPasskey(kernel, row.user_id, 'added', row.name, request.call.remoteAddress)
      reply.status(201)
      return present(row, request.call)
    },
  })
}

function registerChanges(kernel: Kernel): void {
  const { app, db } = kernel
  app.route({
    method: 'PATCH',
    url: `${PASSKEYS_PATH}:id/`,
    config: { access, summary: 'Rename a passkey', takes: nameBody },
    handler: async (request) => {
      const changes = nameBody.parse(request.body ?? {})
      const row = await db.transaction(async (inside) => {
        const [before] = await inside
          .select({ name: authenticationPasskey.name })
          .from(authenticationPasskey)
          .where(ownOf(request))
          .for('update')
        const [renamed] = await inside.update(authenticationPasskey).set(changes).where(ownOf(request)).returning()
        if (renamed)
          await recordChange(kernel, inside, request.call, { before: before?.name ?? null, after: renamed.name })
        return renamed
      })
      if (!row) throw notFound()
      return present(row, request.call)
    },
  })
  app.route({
    method: 'DELETE',
    url: `${PASSKEYS_PATH}:id/`,
    config: { access, summary: 'Remove a passkey' },
    handler: async (request, reply) => {
      const { password = '' } = proofBody.parse(request.body ?? {})
      browserOf(request)
      const [found] = await db
        .select({ id: authenticationPasskey.id })
        .from(authenticationPasskey)
        .where(ownOf(request))
      if (!found) throw notFound()
      await requireProof(kernel, request, password)
      const { call } = request
      const row = await db.transaction(async (inside) => {
        const [gone] = await inside.delete(authenticationPasskey).where(ownOf(request)).returning()
        if (gone) await recordChange(kernel, inside, call, { removed: [gone.name] })
        return gone
      })
      if (!row) throw notFound()
      await switchOffWithoutFactor(kernel, row.user_id)
      await notifyOfPasskey(kernel, row.user_id, 'removed', row.name, call.remoteAddress)
      reply.status(204)
    },
  })
}

const present = ({ id, name, date_created, date_last_used }: Passkey, { timeZone }: Call) => ({
  id,
  name,
  date_created: formatDateTime(date_created, timeZone),
  date_last_used: date_last_used && formatDateTime(date_last_used, timeZone),
})

/** Matches the caller's passkey that the address names; throws 404 for a malformed id. */
function ownOf({ call, params }: FastifyRequest) {
  const { id } = params as { id: string }
  if (!isUuid(id)) throw notFound()
  return and(eq(authenticationPasskey.id, id), eq(authenticationPasskey.user_id, callerOf(call).id))
}

const tooMany = ({ language }: Call) =>
  refused(
    'too_many',
    translate(language, 'You already have {{max}} passkeys: remove one that you no longer use', { max: MAX_PASSKEYS }),
  )

const recordChange = (
  kernel: Kernel,
  db: Database,
  call: Call,
  change: Pick<FieldChange, 'before' | 'after' | 'added' | 'removed'>,
) => recordOwnChange(kernel, db, call, [{ field: 'passkeys', label: 'Passkey', ...change }])

async function store(
  kernel: Kernel,
  call: Call,
  made: Omit<typeof authenticationPasskey.$inferInsert, 'user_id'>,
): Promise<Passkey> {
  const { id } = callerOf(call)
  return kernel.db.transaction(async (db) => {
    // The lock makes simultaneous calls of a person wait, so that they can't exceed the limit
    // together.
    await findUser(db, { id }, { lock: true })
    if ((await passkeysOf(db, id)).length >= MAX_PASSKEYS) throw tooMany(call)
    const [row] = await db
      .insert(authenticationPasskey)
      .values({ ...made, user_id: id })
      .onConflictDoNothing()
      .returning()
    if (!row) throw refused('passkey_known', 'This passkey is already known')
    await recordChange(kernel, db, call, { added: [row.name] })
    return row
  })
}

/**
 * Somebody who chose a second factor and has none left signs in without; somebody who is forced
 * sets one up at the next sign-in.
 */
async function switchOffWithoutFactor(kernel: Kernel, userId: string): Promise<void> {
  if ((await mfaChoices(kernel, userId)).length) return
  await switchOwnMfaOff(kernel.db, userId)
}
