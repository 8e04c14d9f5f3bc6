import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import { desc, inArray } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { FastifyRequest } from 'fastify'
import { notFound } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { getStored } from '../../../kernel/resource/read.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { rowsInWords } from '../../../kernel/resource/related.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { openLogin } from '../../../kernel/secrets/login.ts'
import { kernelSecretLook } from '../../../kernel/secrets/tables.ts'
import { candidateOf, previousOf, type SecretRow } from '../../../kernel/secrets/versions.ts'
import { requireFreshMfa } from '../../users/index.ts'
import type { AccountRow } from './account-secrets.ts'

const MAX_LOOKS = 200

const VERSION = {
  label: 'Former secret',
  fields: plainFields({
    id: 'uuid',
    version: 'integer',
    state: 'string',
    has_password: 'boolean',
    has_key: 'boolean',
    reason: 'string',
    date_created: 'datetime',
  }),
}
const LOOK = {
  label: 'Look at a secret',
  fields: plainFields({
    id: 'uuid',
    how: 'string',
    reason: 'string',
    user: 'string',
    remote_addr: 'string',
    date_created: 'datetime',
  }),
}

/**
 * The life of an account's secrets: its former ones, each readable behind the second factor as long
 * as it is kept, and the people who had them in clear. Looks at its system user are part of it for
 * an account that inherits.
 */
export function registerAccountHistory<T extends PgTable>(
  kernel: Kernel,
  accounts: MountedResource<T>,
  kind: SecretRow['kind'],
  secrets: Pick<ResourceDefinition, 'path'>,
): void {
  const { app, db } = kernel
  const { definition, mount } = accounts
  const { needsLicense } = definition
  const find = async (request: FastifyRequest) => {
    const stored = await getStored(accounts, (request.params as { id: string }).id, contextOf(kernel, request))
    return stored as typeof stored & AccountRow
  }
  const ownerOf = ({ id }: AccountRow): SecretRow => ({ kind, table: mount.table, id })

  app.route({
    method: 'GET',
    url: `${definition.path}:id/versions/`,
    config: {
      access: ['org_admin'],
      needsLicense,
      summary: `${definition.label}: former secrets, without them`,
      answers: 'rows',
      rows: VERSION,
    },
    handler: async (request) => {
      const owner = ownerOf(await find(request))
      const candidate = await candidateOf(db, owner)
      const versions = [...(candidate ? [candidate] : []), ...(await previousOf(db, owner))]
      return versions.map(({ id, version, state, reason, date_created, password_sealed, private_key_sealed }) => ({
        id,
        version,
        state,
        has_password: password_sealed !== null,
        has_key: private_key_sealed !== null,
        reason,
        date_created: formatDateTime(date_created, request.call.timeZone),
      }))
    },
  })
  app.route({
    method: 'GET',
    url: `${definition.path}:id/looks/`,
    config: {
      access: ['org_admin', 'org_auditor'],
      summary: `${definition.label}: who had its secrets`,
      answers: 'rows',
      rows: LOOK,
    },
    handler: async (request) => {
      const { id, systemuser } = await find(request)
      const looks = await db
        .select()
        .from(kernelSecretLook)
        .where(inArray(kernelSecretLook.owner_id, systemuser ? [id, systemuser] : [id]))
        .orderBy(desc(kernelSecretLook.date_created))
        .limit(MAX_LOOKS)
      return looks.map((look) => ({
        id: look.id,
        how: look.how,
        reason: look.reason,
        user: look.user,
        remote_addr: look.remote_addr,
        date_created: formatDateTime(look.date_created, request.call.timeZone),
      }))
    },
  })
  app.route({
    method: 'GET',
    url: `${secrets.path}:id/versions/:version_id/`,
    config: { access: ['org_admin'], needsLicense, summary: `${definition.label}: a former secret in clear` },
    handler: async (request) => {
      const { call } = request
      await requireFreshMfa(kernel, call)
      const account = await find(request)
      const { version_id } = request.params as { version_id: string }
      const owner = ownerOf(account)
      const kept = [await candidateOf(db, owner), ...(await previousOf(db, owner))]
      const found = isUuid(version_id) ? kept.find((one) => one?.id === version_id) : undefined
      if (!found) throw notFound()
      const [name = ''] = await rowsInWords(accounts as unknown as MountedResource, [account], db)
      const open = await kernel.secrets.handOut(db, call, 'reveal', `version ${found.version}`, [
        { kind, id: account.id, name, orgId: account.org_id },
      ])
      const { password, privateKey } = openLogin(found, open)
      return { id: found.id, version: found.version, password, private_key: privateKey, public_key: found.public_key }
    },
  })
}
