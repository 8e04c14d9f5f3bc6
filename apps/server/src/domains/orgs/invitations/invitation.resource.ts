import { organizationInvitation, ownInvitation } from '@sallyport/contract/resources/orgs/organization-invitation.ts'
import { and, eq, gt, lte, ne, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { callerOf, displayName } from '../../../kernel/access/call.ts'
import type { Operation } from '../../../kernel/audit/audit.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { notFound, refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { valueChanges } from '../../../kernel/resource/operate-log/changes.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { rowInOrg } from '../../../kernel/resource/row-in-org.ts'
import { addMemberships, roleChange } from '../membership.ts'
import { orgsInvitation, orgsMember } from '../tables.ts'
import { tellAnswer } from './notices.ts'

type Stored = typeof orgsInvitation.$inferSelect

/**
 * Invitations that can be accepted: an inviter who lost the right to invite may not bring anybody
 * in afterwards by an invitation that was left open.
 */
const OPEN = and(
  eq(orgsInvitation.status, 'pending'),
  gt(orgsInvitation.date_expired, sql`now()`),
  sql`EXISTS (SELECT 1 FROM users_account u WHERE u.id = ${orgsInvitation.inviter} AND u.is_valid AND (u.role = 'Admin' OR EXISTS (
    SELECT 1 FROM ${orgsMember} WHERE ${orgsMember.org} = ${orgsInvitation.org_id} AND ${orgsMember.user} = u.id AND ${orgsMember.role} = 'Admin')))`,
)

/**
 * Invitations as the organization's administrators see and withdraw them, and as those who are
 * invited see and answer them. `invite.ts` makes them.
 */
export default function mountInvitationLists(kernel: Kernel): void {
  mountResource(kernel, organizationInvitation, {
    table: orgsInvitation,
    scope: () => and(ne(orgsInvitation.status, 'withdrawn'), gt(orgsInvitation.date_expired, sql`now()`)),
    search: (pattern) =>
      sql`EXISTS (SELECT 1 FROM users_account u WHERE u.id = ${orgsInvitation.user} AND (u.name ILIKE ${pattern} OR u.username ILIKE ${pattern}))`,
  })
  mountResource(kernel, ownInvitation, {
    table: orgsInvitation,
    owner: orgsInvitation.user,
    scope: () => OPEN,
    computed: [
      {
        fields: ['organization'],
        load: async (rows, { kernel: { orgNames } }) => {
          const names = await orgNames()
          return rows.map(({ org_id }) => ({ organization: names.get(org_id) ?? '' }))
        },
      },
    ],
  })
  registerWithdrawal(kernel)
  registerAnswers(kernel)
  kernel.jobs.schedule(
    { name: 'orgs.remove_expired_invitations', cron: '40 3 * * *', title: 'Remove expired invitations' },
    async () => {
      await kernel.db.delete(orgsInvitation).where(lte(orgsInvitation.date_expired, sql`now()`))
    },
  )
}

/** A row that was withdrawn stays until it expires, so that the person is not told again. */
function registerWithdrawal({ app, db, audit }: Kernel): void {
  app.route({
    method: 'DELETE',
    url: `${organizationInvitation.path}:id/`,
    config: { access: organizationInvitation.permission.write, summary: 'Withdraw an invitation' },
    handler: async ({ call, params }, reply) => {
      const { id } = params as { id: string }
      await db.transaction(async (inside) => {
        const { status, user, roles, org_id } = await rowInOrg(inside, call, orgsInvitation, id)
        if (status === 'declined') throw refused('bad_request', 'This invitation was declined.')
        const [withdrawn] = await inside
          .update(orgsInvitation)
          .set({ status: 'withdrawn' })
          .where(and(eq(orgsInvitation.id, id), eq(orgsInvitation.status, 'pending')))
          .returning({ id: orgsInvitation.id })
        if (!withdrawn) throw notFound()
        await audit.record(inside, call, [
          {
            action: 'delete',
            resourceType: organizationInvitation.label,
            resource: await nameOf(inside, user),
            orgId: org_id,
            object: { type: organizationInvitation.name, id },
            changes: valueChanges(organizationInvitation.fields, { roles }, { roles: [] }),
          },
        ])
      })
      return reply.status(204).send()
    },
  })
}

async function nameOf(db: Database, userId: string): Promise<string> {
  const { rows } = await db.execute<{ name: string; username: string }>(
    sql`SELECT name, username FROM users_account WHERE id = ${userId}`,
  )
  return rows[0] ? displayName(rows[0]) : userId
}

function registerAnswers(kernel: Kernel): void {
  registerAnswer(kernel, {
    word: 'accept',
    summary: 'Accept an invitation: I belong to the organization',
    async carryOut(db, { id, org_id, user, roles }) {
      await addMemberships(
        db,
        roles.map((role) => ({ org: org_id, user, role })),
      )
      await db.delete(orgsInvitation).where(eq(orgsInvitation.id, id))
      return {
        action: 'create',
        resourceType: 'Organization member',
        object: { type: 'user', id: user },
        changes: [roleChange({ added: roles })],
      }
    },
  })
  registerAnswer(kernel, {
    word: 'decline',
    summary: 'Decline an invitation',
    async carryOut(db, { id, status }) {
      const now = { status: 'declined' } as const
      await db.update(orgsInvitation).set(now).where(eq(orgsInvitation.id, id))
      return {
        action: 'update',
        resourceType: organizationInvitation.label,
        object: { type: organizationInvitation.name, id },
        changes: valueChanges(organizationInvitation.fields, { status }, now),
      }
    },
  })
}

interface Answer {
  word: 'accept' | 'decline'
  summary: string
  /** Returns what the operate log says of it. */
  carryOut(db: Database, invitation: Stored): Promise<Omit<Operation, 'resource' | 'orgId'>>
}

function registerAnswer(kernel: Kernel, { word, summary, carryOut }: Answer): void {
  const { app, db, audit } = kernel
  app.route({
    method: 'POST',
    url: `${ownInvitation.path}:id/${word}/`,
    config: { access: ownInvitation.permission.write, summary },
    handler: async (request, reply) => {
      const { call } = request
      const { inviter, org_id } = await db.transaction(async (inside) => {
        const invitation = await lockOwn(inside, request)
        const entry = await carryOut(inside, invitation)
        await audit.record(inside, call, [
          { ...entry, resource: displayName(callerOf(call)), orgId: invitation.org_id },
        ])
        return invitation
      })
      const organization = (await kernel.orgNames()).get(org_id) ?? ''
      await tellAnswer(kernel, call, { inviter, organization, accepted: word === 'accept' })
      return reply.status(204).send()
    },
  })
}

/**
 * The open invitation of the caller that the address names. The second of two simultaneous answers
 * finds none: 404.
 */
async function lockOwn(db: Database, { call, params }: FastifyRequest): Promise<Stored> {
  const { id } = params as { id: string }
  const [row] = isUuid(id)
    ? await db
        .select()
        .from(orgsInvitation)
        .where(and(eq(orgsInvitation.id, id), eq(orgsInvitation.user, callerOf(call).id), OPEN))
        .for('update')
    : []
  if (!row) throw notFound()
  return row
}
