import { signIn, userSignIn } from '@sallyport/contract/resources/authentication/sign-in.ts'
import { and, eq, gt, type SQL, sql } from 'drizzle-orm'
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { type Call, callerOf, displayName, isRoot } from '../../kernel/access/call.ts'
import type { AuditSink } from '../../kernel/audit/audit.ts'
import { dateTime, id } from '../../kernel/database/columns.ts'
import type { Database } from '../../kernel/database/database.ts'
import { notFound } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import type { Computed, DeleteContext, StoredRow } from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { cityOf, LAN, UNKNOWN_CITY } from '../audits/index.ts'
import { endSignIns, guardSignInOf, USER_CHANGED, usersUser } from '../users/index.ts'
import { clientName } from './client-name.ts'
import { type Credential, credentialOf } from './identify.ts'

/** What a list may know of a session: neither its key nor what it remembers. */
const session = pgTable('authentication_session', {
  id: id(),
  user_id: uuid('user_id'),
  remote_addr: text('remote_addr').notNull(),
  user_agent: text('user_agent').notNull(),
  date_created: dateTime('date_created').notNull(),
  date_last_seen: dateTime('date_last_seen').notNull(),
  date_expired: dateTime('date_expired').notNull(),
})

/** Sign-ins that are still good; unfinished ones are nobody's. */
const holding = gt(session.date_expired, sql`now()`)

/**
 * Where people are signed in, and signing them out there: the caller's own browsers, and those of others for who administers them. What hangs on a
 * sign-in (terminals, files, what is watched) ends with it, on every node.
 */
export function registerSignInList(kernel: Kernel): void {
  mountResource(kernel, signIn, {
    table: session,
    owner: session.user_id,
    scope: () => holding,
    computed: [described],
    unaudited: true,
    rules: { afterDelete: [recordAndTell] },
  })
  mountResource(kernel, userSignIn, {
    table: session,
    parameters: { user_id: session.user_id },
    scope: ({ call }) => and(holding, ofVisiblePerson(call, sql`${session.user_id}`)),
    computed: [described],
    unaudited: true,
    rules: { beforeDelete: [guardPerson], afterDelete: [recordAndTell] },
  })
  kernel.app.route({
    method: 'DELETE',
    url: `${signIn.path}others/`,
    config: { access: ['authenticated'], summary: 'Sign me out everywhere but here: other browsers, tokens and SSH connections' },
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
        await guardSignInOf(db, request.call, id)
        await endAll(kernel, db, request.call, id)
      })
      return reply.status(204).send()
    },
  })
}

/** People whom the caller sees: in the root organisation all but components, elsewhere its members. */
function ofVisiblePerson(call: Call, person: SQL): SQL {
  const among = isRoot(call) ? sql`true` : sql`EXISTS (SELECT 1 FROM orgs_member m WHERE m."user" = u.id AND m.org = ${call.org.id})`
  return sql`EXISTS (SELECT 1 FROM users_user u WHERE u.id = ${person} AND u.role <> 'App' AND ${among})`
}

async function isVisible(db: Database, call: Call, userId: string): Promise<boolean> {
  const { rows } = await db.execute<{ visible: boolean }>(sql`SELECT ${ofVisiblePerson(call, sql`${userId}::uuid`)} AS visible`)
  return rows[0]?.visible === true
}

const described: Computed = {
  fields: ['browser', 'system', 'city', 'is_current'],
  load: async (rows, { call }) =>
    rows.map((row) => {
      const city = cityOf(String(row.remote_addr), call.language)
      return {
        ...clientName(String(row.user_agent)),
        city: city === UNKNOWN_CITY ? '' : city === LAN ? translate(call.language, LAN) : city,
        is_current: row.id === call.sessionId,
      }
    }),
}

async function guardPerson({ call, db, parameters }: DeleteContext): Promise<void> {
  await guardSignInOf(db, call, parameters.user_id ?? '')
}

async function recordAndTell({ kernel, db, call, rows, afterCommit }: DeleteContext): Promise<void> {
  for (const row of rows) await record(kernel.audit, db, call, String(row.user_id), words(row))
  const people = [...new Set(rows.map(({ user_id }) => String(user_id)))]
  afterCommit(async () => {
    for (const person of people) await kernel.events.publish(USER_CHANGED, { user_id: person })
  })
}

function words({ remote_addr, user_agent }: StoredRow): string {
  const { browser, system } = clientName(String(user_agent))
  return [browser, system, remote_addr].filter(Boolean).join(', ')
}

/** Ends every sign-in of a person but the one that `call` came with, if it is theirs. */
async function endAll({ audit }: Kernel, db: Database, call: Call, userId: string, kept?: Credential): Promise<void> {
  const token = kept?.source === 'bearer' && Buffer.isBuffer(kept.key) ? kept.key : undefined
  await endSignIns(db, userId, kept && { session: call.sessionId, token })
  await record(audit, db, call, userId, kept ? 'all others' : 'all')
}

async function record(audit: AuditSink, db: Database, call: Call, userId: string, which: string): Promise<void> {
  const [person] = await db.select({ name: usersUser.name, username: usersUser.username }).from(usersUser).where(eq(usersUser.id, userId))
  if (person)
    await audit.record(db, call, [
      { action: 'delete', resourceType: signIn.label, resource: `${displayName(person)}: ${which}`, orgId: call.org.id },
    ])
}
