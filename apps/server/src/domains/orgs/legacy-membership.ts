import type { OrgRole } from '@sallyport/contract/access.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import type { Call } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { invalid, notFound } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { addMemberships, endWhereNoneIsLeft } from './membership.ts'
import { orgsMember, orgsOrganization } from './tables.ts'

const access = ['super_admin', 'component'] as const
const ROW = { id: orgsMember.id, organization: orgsMember.org, user: orgsMember.user }

/**
 * Members of one role at the addresses that old scripts use; detail addresses name the person
 * (contract/orgs.yaml extra endpoints).
 */
export function registerLegacyMembership(kernel: Kernel): void {
  registerRole(kernel, 'admins', 'Admin')
  registerRole(kernel, 'users', 'User')
}

function registerRole({ app, audit, db }: Kernel, word: string, role: OrgRole): void {
  const url = `/api/v1/orgs/orgs/:org_id/membership/${word}/`
  const find = (org: string, more?: SQL) =>
    db
      .select(ROW)
      .from(orgsMember)
      .where(
        and(
          eq(orgsMember.org, org),
          eq(orgsMember.role, role),
          sql`EXISTS (SELECT 1 FROM users_person u WHERE u.id = ${orgsMember.user})`,
          more,
        ),
      )
      .orderBy(orgsMember.id)
  const record = (inside: Database, call: Call, action: 'create' | 'delete', org: string, user: string) =>
    audit.record(inside, call, [
      { action, resourceType: 'Organization member', resource: `${user}-${org}-${role}`, orgId: org },
    ])
  const one = async (request: FastifyRequest) => {
    const org = await orgOf(request)
    const { user_id } = request.params as { user_id: string }
    const [row] = isUuid(user_id) ? await find(org, eq(orgsMember.user, user_id)) : []
    if (!row) throw notFound()
    return row
  }
  const orgOf = async (request: FastifyRequest) => {
    const { org_id } = request.params as { org_id: string }
    const [org] = isUuid(org_id)
      ? await db.select({ id: orgsOrganization.id }).from(orgsOrganization).where(eq(orgsOrganization.id, org_id))
      : []
    if (!org) throw notFound()
    return org.id
  }

  app.route({
    method: 'GET',
    url,
    config: { access, summary: `Members of an organisation as ${role}` },
    handler: async (request) => find(await orgOf(request)),
  })
  app.route({
    method: 'POST',
    url,
    config: { access, summary: `Make somebody ${role} of an organisation` },
    handler: async (request, reply) => {
      const org = await orgOf(request)
      const { user } = (request.body ?? {}) as { user?: unknown }
      if (!isUuid(user)) throw invalid({ user: 'Must be a valid UUID.' })
      const { rows } = await db.execute(sql`SELECT 1 FROM users_person WHERE id = ${user}`)
      if (!rows.length) throw invalid({ user: 'A user does not exist' })
      await db.transaction(async (inside) => {
        await addMemberships(inside, [{ org, user, role }])
        await record(inside, request.call, 'create', org, user)
      })
      const [row] = await find(org, eq(orgsMember.user, user))
      return reply.status(201).send(row)
    },
  })
  app.route({
    // Nothing of a row can change: these answer it as it is.
    method: ['GET', 'PUT', 'PATCH'],
    url: `${url}:user_id/`,
    config: { access, summary: `One member of an organisation as ${role}` },
    handler: one,
  })
  app.route({
    method: 'DELETE',
    url: `${url}:user_id/`,
    config: { access, summary: `Somebody is no longer ${role} of an organisation` },
    handler: async (request, reply) => {
      const row = await one(request)
      await db.transaction(async (inside) => {
        await inside.delete(orgsMember).where(eq(orgsMember.id, row.id))
        await endWhereNoneIsLeft(inside, row.organization, [row.user])
        await record(inside, request.call, 'delete', row.organization, row.user)
      })
      return reply.status(204).send()
    },
  })
}
