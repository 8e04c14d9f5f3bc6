import type { OrgRole } from '@sallyport/contract/access.ts'
import { organization } from '@sallyport/contract/resources/orgs/organization.ts'
import { organizationMember } from '@sallyport/contract/resources/orgs/organization-member.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Call, displayName } from '../../kernel/access/call.ts'
import { keepingChange } from '../../kernel/audit/named-change.ts'
import type { Database } from '../../kernel/database/database.ts'
import { invalid, notFound } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { sendRows } from '../../kernel/resource/lists/rows.ts'
import { valueChanges } from '../../kernel/resource/operate-log/changes.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { refuseGiven } from './given.ts'
import { addMemberships, endLostMemberships } from './membership.ts'
import { orgsMember, orgsOrganization } from './tables.ts'

const access = ['super_admin', 'component'] as const
const { needsLicense } = organization
const ROW = { id: orgsMember.id, organization: orgsMember.org, user: orgsMember.user }

const MEMBER = { fields: plainFields({ id: 'uuid', user: 'uuid', role: 'string', organization: 'uuid' }) }
type Member = { id: string; organization: string; user: string }
const newMember = z.object({ user: z.guid() })

/**
 * Members of one role at the addresses that old scripts use; detail addresses name the person
 * (docs/rules/orgs.md#organization).
 */
export function registerLegacyMembership(kernel: Kernel): void {
  registerRole(kernel, 'admins', 'Admin')
  registerRole(kernel, 'users', 'User')
}

function registerRole(kernel: Kernel, word: string, role: OrgRole): void {
  const { app, db } = kernel
  const url = `/api/v1/orgs/orgs/:org_id/membership/${word}/`
  app.route({
    method: 'GET',
    url,
    config: {
      access,
      needsLicense,
      summary: `Members of an organization as ${role}`,
      answers: 'rows or page',
      rows: MEMBER,
    },
    handler: async (request, reply) =>
      sendRows<Member>(contextOf(kernel, request), request, reply, {
        columns: sql`${orgsMember.id} AS id, ${orgsMember.org} AS organization, ${orgsMember.user} AS "user"`,
        from: sql`${orgsMember} WHERE ${membersOf(role, await orgOf(db, request))}`,
        order: sql`${orgsMember.id}`,
        item: (member) => member,
      }),
  })
  app.route({
    method: 'POST',
    url,
    config: {
      access,
      needsLicense,
      summary: `Make somebody ${role} of an organization`,
      answerStatus: 201,
      rows: MEMBER,
      takes: newMember,
      // Administrators make ways in for others.
      opensWayIn: role === 'Admin',
    },
    handler: async (request, reply) => {
      const org = await orgOf(db, request)
      const { user } = (request.body ?? {}) as { user?: unknown }
      if (!isUuid(user)) throw invalid({ user: 'Must be a valid UUID.' })
      const { rows } = await db.execute(sql`SELECT 1 FROM users_person WHERE id = ${user}`)
      if (!rows.length) throw invalid({ user: 'A user does not exist' })
      const row = await keepingChange(db, request, reply, async (inside) => {
        await addMemberships(inside, [{ org, user, role }])
        const [made] = await findMember(inside, role, org, user)
        await record(kernel, inside, request.call, { action: 'create', id: made?.id ?? '', org, user, role })
        return made
      })
      return reply.status(201).send(row)
    },
  })
  app.route({
    // There is nothing in a row to change: writing to it answers it as it is.
    method: ['GET', 'PUT', 'PATCH'],
    url: `${url}:user_id/`,
    config: {
      access,
      needsLicense,
      summary: `One member of an organization as ${role}`,
      rows: MEMBER,
      takes: newMember,
    },
    handler: (request) => getMember(db, role, request),
  })
  app.route({
    method: 'DELETE',
    url: `${url}:user_id/`,
    config: { access, needsLicense, summary: `Somebody is no longer ${role} of an organization` },
    handler: async (request, reply) => {
      const { id, organization: org, user } = await getMember(db, role, request)
      await keepingChange(db, request, reply, async (inside) => {
        refuseGiven(
          await inside.delete(orgsMember).where(eq(orgsMember.id, id)).returning({ given_by: orgsMember.given_by }),
        )
        await endLostMemberships(inside, org, [user])
        await record(kernel, inside, request.call, { action: 'delete', id, org, user, role })
      })
      return reply.status(204).send()
    },
  })
}

/** SQL: the people who have that role in the organization; components are no members. */
const membersOf = (role: OrgRole, org: string) =>
  and(
    eq(orgsMember.org, org),
    eq(orgsMember.role, role),
    sql`EXISTS (SELECT 1 FROM users_person u WHERE u.id = ${orgsMember.user})`,
  )

const findMember = (db: Database, role: OrgRole, org: string, user: string) =>
  db
    .select(ROW)
    .from(orgsMember)
    .where(and(membersOf(role, org), eq(orgsMember.user, user)))

/** The member that the address names. Throws 404 where there is none. */
async function getMember(db: Database, role: OrgRole, request: FastifyRequest) {
  const org = await orgOf(db, request)
  const { user_id } = request.params as { user_id: string }
  const [row] = isUuid(user_id) ? await findMember(db, role, org, user_id) : []
  if (!row) throw notFound()
  return row
}

/** The id of the organization that the address names. Throws 404 where there is none. */
async function orgOf(db: Database, { params }: FastifyRequest): Promise<string> {
  const { org_id } = params as { org_id: string }
  const [org] = isUuid(org_id)
    ? await db.select({ id: orgsOrganization.id }).from(orgsOrganization).where(eq(orgsOrganization.id, org_id))
    : []
  if (!org) throw notFound()
  return org.id
}

interface Change {
  action: 'create' | 'delete'
  /** Id of the membership. */
  id: string
  org: string
  user: string
  role: OrgRole
}

async function record(
  { audit }: Kernel,
  db: Database,
  call: Call,
  { action, id, org, user, role }: Change,
): Promise<void> {
  const { rows } = await db.execute<{ name: string; username: string }>(
    sql`SELECT name, username FROM users_person WHERE id = ${user}`,
  )
  const values = { role, user: rows[0] ? displayName(rows[0]) : user }
  const none = { role: undefined, user: undefined }
  const [before, after] = action === 'create' ? [none, values] : [values, none]
  await audit.record(db, call, [
    {
      action,
      resourceType: organizationMember.label,
      resource: `${user}-${org}-${role}`,
      orgId: org,
      // By it the log knows what its fields are called.
      object: { type: organizationMember.name, id },
      changes: valueChanges(organizationMember.fields, before, after),
    },
  ])
}
