import type { FieldErrors } from '@sallyport/contract/errors.ts'
import { organizationInvitation } from '@sallyport/contract/resources/orgs/organization-invitation.ts'
import { user } from '@sallyport/contract/resources/users/user.ts'
import { and, eq, ilike, inArray, not, or, sql } from 'drizzle-orm'
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Call, isRoot } from '../../kernel/access/call.ts'
import { refuseLimited } from '../../kernel/access/limited-key.ts'
import { keepingChange } from '../../kernel/audit/named-change.ts'
import type { Database } from '../../kernel/database/database.ts'
import { AppError, BulkError, invalid } from '../../kernel/errors/app-error.ts'
import { translateError } from '../../kernel/errors/translate-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { escapeLike, listConditions } from '../../kernel/resource/conditions.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import { valueChanges } from '../../kernel/resource/operate-log/changes.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { previewed } from '../../kernel/resource/preview/preview.ts'
import { getStored } from '../../kernel/resource/read.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import {
  type Invited,
  type InviteResult,
  invite,
  lossesOfLeaving,
  type MemberRole,
  notifyInvited,
  removeMembers,
  roleChange,
} from '../orgs/index.ts'
import { usersUser } from './tables.ts'
import { type StoredUser, userDisplay } from './user-fields.ts'

const MAX_SUGGESTIONS = 6
const PERSON = { id: usersUser.id, name: usersUser.name, username: usersUser.username }
const MAX_INVITED = 10_000
const invitation = z.object({ user: z.guid(), role: z.enum(['Admin', 'Auditor', 'User']).default('User') })

/**
 * Bringing people into an organization and taking them out again
 * (docs/rules/users.md#membership_calls).
 */
export function registerInvitations(kernel: Kernel, users: MountedResource<typeof usersUser>): void {
  registerInvite(kernel)
  registerLosses(kernel, users)
  registerRemoval(kernel, users)
}

const config = (summary: string, described: Pick<FastifyContextConfig, 'rows' | 'takes'> = {}) => ({
  access: ['org_admin'] as const,
  summary,
  ...described,
})

function registerInvite(kernel: Kernel): void {
  const { app, db } = kernel
  app.route({
    method: 'GET',
    url: '/api/v1/users/users/suggestion/',
    config: { ...config('People of all organizations, to invite', { rows: user }), answers: 'rows' },
    handler: async (request) => {
      const { search } = contextOf(kernel, request).query
      const pattern = `%${escapeLike((search ?? '').replaceAll('\0', ''))}%`
      return db
        .select(PERSON)
        .from(usersUser)
        .where(
          and(
            not(eq(usersUser.role, 'App')),
            search ? or(ilike(usersUser.name, pattern), ilike(usersUser.username, pattern)) : undefined,
          ),
        )
        .orderBy(usersUser.name)
        .limit(MAX_SUGGESTIONS)
    },
  })
  app.route({
    method: 'POST',
    url: '/api/v1/users/users/invite/',
    config: config('Invite people to the current organization; system administrators add them at once', {
      takes: invitation,
    }),
    handler: async (request, reply) => {
      const { call } = request
      const invited = readInvitations(request.body ?? [])
      if (invited.some(({ role }) => role === 'Admin')) refuseLimited(call)
      const refusal = (text: string) =>
        new AppError(400, 'bad_request', text, { body: { error: translate(call.language, text) } })
      if (isRoot(call)) throw refusal('Nobody can be invited into the root organization')
      const toNotify = await keepingChange(db, request, reply, async (inside) => {
        const people = await invitedPeople(inside, call, request.body, invited)
        const { members, gained, invitations, toNotify } = await invite(inside, call, invited)
        const { come = [], asked = [] } = Object.groupBy(people, ({ id }) => (members.has(id) ? 'come' : 'asked'))
        await recordMembers(kernel, inside, call, 'create', come, gained)
        await recordInvitations(kernel, inside, call, asked, invitations)
        return toNotify
      })
      await notifyInvited(kernel, call, toNotify)
      return reply.status(201).send(invited)
    },
  })
}

/** What people would lose in the current organization, told before they are taken out of it. */
function registerLosses(kernel: Kernel, users: MountedResource<typeof usersUser>): void {
  const { app, db } = kernel
  app.route({
    method: 'GET',
    url: '/api/v1/users/users/:id/remove/',
    config: {
      ...config('What a person loses by leaving the current organization'),
      answers: { fields: plainFields({ people: 'integer', ends: 'list' }) },
    },
    handler: async (request) => {
      const context = contextOf(kernel, request)
      const row = await getStored(users, context.parameters.id ?? '', context)
      return losses(db, request.call, [row.id])
    },
  })
  app.route({
    method: 'GET',
    url: '/api/v1/users/users/remove/',
    config: {
      ...config('What the selected people lose by leaving the current organization'),
      answers: { fields: plainFields({ people: 'integer', ends: 'list' }) },
    },
    handler: async (request) => {
      const rows = await selectedPeople(users, contextOf(kernel, request), db)
      return losses(
        db,
        request.call,
        rows.map(({ id }) => id),
      )
    },
  })
}

function registerRemoval(kernel: Kernel, users: MountedResource<typeof usersUser>): void {
  const { db } = kernel
  const add = (url: string, summary: string, peopleIn: (context: ReadContext) => Promise<readonly Person[]>) => {
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const context = contextOf(kernel, request)
      await keepingChange(db, request, reply, async (inside) => {
        const rows = await peopleIn({ ...context, db: inside })
        if (isRoot(request.call)) return
        const ended = await removeMembers(
          inside,
          rows.map(({ id }) => id),
          request.call.org.id,
        )
        await recordMembers(kernel, inside, request.call, 'delete', rows, ended)
      })
      return reply.status(204).send()
    }
    kernel.app.route({
      method: 'POST',
      url,
      config: { ...config(summary), answers: 'nothing', previews: previewed(kernel, handler) },
      handler,
    })
  }
  add('/api/v1/users/users/:id/remove/', 'Take a person out of the current organization', async (context) => [
    await getStored(users, context.parameters.id ?? '', context),
  ])
  add('/api/v1/users/users/remove/', 'Take the selected people out of the current organization', async (context) =>
    isRoot(context.call) ? [] : selectedPeople(users, context, context.db),
  )
}

/** The people whom the invitations name. Throws 400, by row, where one does not exist. */
async function invitedPeople(db: Database, { language }: Call, body: unknown, invited: readonly Invited[]) {
  const ids = [...new Set(invited.map(({ user }) => user))]
  const known = ids.length
    ? await db
        .select(PERSON)
        .from(usersUser)
        .where(and(inArray(usersUser.id, ids), not(eq(usersUser.role, 'App'))))
    : []
  const found = new Set(known.map(({ id }) => id))
  refuseRows(
    body,
    invited.map(({ user: id }) =>
      found.has(id)
        ? undefined
        : { user: [translate(language, 'Invalid pk "{{id}}" - object does not exist.', { id })] },
    ),
  )
  return known
}

/**
 * `{ people, ends: [{ label, amount }] }`: how many people would leave the current organization,
 * and what of theirs would end. All of it is nothing in root, where nobody can be removed.
 */
async function losses(db: Database, call: Call, user_ids: readonly string[]) {
  const ends = isRoot(call) ? [] : await lossesOfLeaving(db, { org_id: call.org.id, user_ids })
  return {
    people: isRoot(call) ? 0 : user_ids.length,
    ends: ends.map(({ label, amount }) => ({ label: translate(call.language, label), amount })),
  }
}

/**
 * Those whom the query selects, without the caller. A query without any filter selects nobody: a
 * lost reference to a selection must not empty the organization.
 */
async function selectedPeople(users: MountedResource<typeof usersUser>, context: ReadContext, db: Database) {
  const { where, narrowed } = await listConditions(users, { ...context, db })
  if (!narrowed) return []
  return db
    .select(PERSON)
    .from(usersUser)
    .where(and(where, sql`${usersUser.id} <> ${context.call.user?.id ?? null}`))
}

type Person = Pick<StoredUser, 'id' | 'name' | 'username'>

/** One line of the operate log for each person who came or went, with the roles. */
function recordMembers(
  { audit }: Kernel,
  db: Database,
  call: Call,
  action: 'create' | 'delete',
  people: readonly Person[],
  changed: readonly MemberRole[],
) {
  const rolesOf = Map.groupBy(changed, ({ user }) => user)
  return audit.record(
    db,
    call,
    people.map((one) => {
      const roles = rolesOf.get(one.id)?.map(({ role }) => role) ?? []
      return {
        action,
        resourceType: 'Organization member',
        resource: userDisplay(one),
        orgId: call.org.id,
        object: { type: user.name, id: one.id },
        changes: roles.length ? [roleChange(action === 'create' ? { added: roles } : { removed: roles })] : [],
      }
    }),
  )
}

/** One line for each person who was asked; of who declined before there is no invitation. */
function recordInvitations(
  { audit }: Kernel,
  db: Database,
  call: Call,
  people: readonly Person[],
  invitations: InviteResult['invitations'],
) {
  const invitationOf = new Map(invitations.map((one) => [one.user, one]))
  return audit.record(
    db,
    call,
    people.map((one) => {
      const invitation = invitationOf.get(one.id)
      return {
        action: 'create' as const,
        resourceType: organizationInvitation.label,
        resource: userDisplay(one),
        orgId: call.org.id,
        object: invitation && { type: organizationInvitation.name, id: invitation.id },
        changes: invitation && valueChanges(organizationInvitation.fields, undefined, { roles: invitation.roles }),
      }
    }),
  )
}

/** One invitation or several. Throws 400 by field, for several by row as every bulk call does. */
function readInvitations(body: unknown): Invited[] {
  if (!Array.isArray(body)) return [invitation.parse(body)]
  if (body.length > MAX_INVITED) throw new AppError(400, 'bad_request', 'At most 10000 rows in one call')
  const read = body.map((row) => invitation.safeParse(row))
  refuseRows(
    body,
    read.map(({ error }) => (error && (translateError(error) as AppError).fields) || undefined),
  )
  return read.flatMap(({ data }) => data ?? [])
}

/** Throws what is wrong with each row, in the shape that the body had. */
function refuseRows(body: unknown, rows: readonly (FieldErrors | undefined)[]): void {
  if (!rows.some(Boolean)) return
  throw Array.isArray(body) ? new BulkError(rows) : invalid(rows[0] ?? {})
}
