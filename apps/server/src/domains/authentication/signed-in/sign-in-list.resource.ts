import { spoken } from '@sallyport/contract/names.ts'
import { orgSignIn, signIn, userSignIn } from '@sallyport/contract/resources/authentication/sign-in.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { type Call, callerOf, displayName, isRoot } from '../../../kernel/access/call.ts'
import type { AuditSink } from '../../../kernel/audit/audit.ts'
import { dateTime, id } from '../../../kernel/database/columns.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { notFound } from '../../../kernel/errors/app-error.ts'
import { clientName } from '../../../kernel/http/client-name.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import type { Computed, DeleteContext, StoredRow } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { cityOf, LAN, readablePeople, UNKNOWN_CITY } from '../../audits/index.ts'
import { orgsMembership } from '../../orgs/index.ts'
import { findUser, guardPerson, USER_CHANGED, usersPerson } from '../../users/index.ts'
import { type Credential, credentialOf } from '../credentials/identify.ts'
import { endSignIns } from '../end-sign-ins.ts'

/**
 * View of everything that people are signed in with, without any keys; deleting a row deletes it
 * where it came from (the view's trigger).
 */
const held = pgTable('authentication_sign_in', {
  id: id(),
  kind: text('kind').notNull(),
  user_id: uuid('user_id').notNull(),
  user: text('user').notNull(),
  remote_addr: text('remote_addr').notNull(),
  user_agent: text('user_agent').notNull(),
  date_created: dateTime('date_created').notNull(),
  date_last_seen: dateTime('date_last_seen'),
  date_expired: dateTime('date_expired'),
})

type StoredSignIn = StoredRow<typeof held>
type Deleting = DeleteContext<typeof held>

/**
 * Lists what people are signed in with, and ends it: their own, and that of others for their
 * administrators. What depends on a sign-in (terminals, file transfers, watching) ends with it, on
 * every node.
 */
export default function mountSignInList(kernel: Kernel): void {
  const common = { table: held, computed: [described], unaudited: true } as const
  const others = { ...common, rules: { beforeDelete: [guardPeople], afterDelete: [recordAndTell] } }
  mountResource(kernel, signIn, { ...common, owner: held.user_id, rules: { afterDelete: [recordAndTell] } })
  mountResource(kernel, userSignIn, {
    ...others,
    parameters: { user_id: held.user_id },
    scope: ({ call }) => ofReadablePerson(call),
  })
  mountResource(kernel, orgSignIn, { ...others, scope: ({ call }) => ofReadablePerson(call) })
  kernel.app.route({
    method: 'DELETE',
    url: `${signIn.path}others/`,
    config: {
      access: ['authenticated'],
      summary: 'Sign me out everywhere but here: other browsers, tokens and SSH connections',
    },
    handler: async (request, reply) => {
      const { id } = callerOf(request.call)
      await kernel.db.transaction((db) => endAll(kernel, db, request.call, id, credentialOf(request)))
      return reply.status(204).send()
    },
  })
  kernel.app.route({
    method: 'DELETE',
    url: userSignIn.path,
    config: { access: ['org_admin'], summary: 'Sign a person out everywhere: browsers, tokens and SSH connections' },
    handler: async (request, reply) => {
      const { user_id: id } = request.params as { user_id: string }
      await kernel.db.transaction(async (db) => {
        if (!isUuid(id) || !(await isVisible(db, request.call, id))) throw notFound()
        await guardPerson(db, request.call, id)
        await endAll(kernel, db, request.call, id)
      })
      return reply.status(204).send()
    },
  })
}

/** In root everybody except components, elsewhere those whose sign-ins concern the organization. */
const ofReadablePerson = (call: Call): SQL =>
  isRoot(call)
    ? sql`EXISTS (SELECT 1 FROM ${usersPerson} u WHERE u.id = ${held.user_id})`
    : sql`EXISTS (SELECT 1 FROM ${readablePeople(call)} p WHERE p.id = ${held.user_id})`

/** In root everybody except components, elsewhere the organization's members. */
async function isVisible(db: Database, call: Call, userId: string): Promise<boolean> {
  const [person] = await db
    .select({ id: usersPerson.id })
    .from(usersPerson)
    .where(
      and(
        eq(usersPerson.id, userId),
        isRoot(call)
          ? undefined
          : sql`EXISTS (SELECT 1 FROM ${orgsMembership} m WHERE m.user_id = ${usersPerson.id} AND m.org_id = ${call.org.id})`,
      ),
    )
  return person !== undefined
}

const described: Computed<'browser' | 'system' | 'city' | 'is_current', typeof held> = {
  fields: ['browser', 'system', 'city', 'is_current'],
  load: async (rows, { call }) =>
    rows.map((row) => {
      const city = cityOf(row.remote_addr, call.language)
      return {
        ...clientName(row.user_agent),
        city: city === UNKNOWN_CITY ? '' : city === LAN ? translate(call.language, LAN) : city,
        is_current: row.id === call.signInId,
      }
    }),
}

async function guardPeople({ call, db, rows }: Deleting): Promise<void> {
  for (const person of peopleOf(rows)) await guardPerson(db, call, person)
}

const peopleOf = (rows: readonly StoredSignIn[]) => [...new Set(rows.map(({ user_id }) => user_id))]

async function recordAndTell({ kernel, db, call, rows, afterCommit }: Deleting): Promise<void> {
  for (const row of rows) await record(kernel.audit, db, call, row.user_id, words(row))
  afterCommit(async () => {
    for (const person of peopleOf(rows)) await kernel.events.publish(USER_CHANGED, { user_id: person })
  })
}

function words({ kind, remote_addr, user_agent }: StoredSignIn): string {
  const { browser, system } = clientName(user_agent)
  const what = kind === 'browser' ? [] : [KINDS[kind]]
  return [...what, browser, system, remote_addr].filter(Boolean).join(', ')
}
const KINDS: Readonly<Record<string, string>> = signIn.fields.kind.choices

/**
 * Ends everything that a person is signed in with, except what `call` came with if that is theirs.
 */
async function endAll({ audit }: Kernel, db: Database, call: Call, userId: string, kept?: Credential): Promise<void> {
  const keptKey = (source: Credential['source']) =>
    kept?.source === source && Buffer.isBuffer(kept.key) ? kept.key : undefined
  await endSignIns(db, userId, kept && { session: call.sessionId, token: keptKey('bearer') })
  await db.execute(
    sql`DELETE FROM authentication_private_token WHERE user_id = ${userId} AND key_hash IS DISTINCT FROM ${keptKey('private_token') ?? null}::bytea`,
  )
  await record(audit, db, call, userId, kept ? 'all others' : 'all')
}

async function record(audit: AuditSink, db: Database, call: Call, userId: string, which: string): Promise<void> {
  const person = await findUser(db, { id: userId })
  if (person)
    await audit.record(db, call, [
      {
        action: 'delete',
        resourceType: signIn.label,
        resource: `${spoken(displayName(person))}: ${which}`,
        orgId: call.org.id,
      },
    ])
}
