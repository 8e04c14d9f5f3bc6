import { gateway } from '@sallyport/contract/resources/assets/gateway.ts'
import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isComponent } from '../../../kernel/access/call.ts'
import { bareHost } from '../../../kernel/bare-host.ts'
import { AppError, invalid } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import type { ReadContext, StoredRow, WriteContext, WrittenContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { rowInOrg } from '../../../kernel/resource/row-in-org.ts'
import { checkSecrets, keepReplaced } from '../../../kernel/secrets/secret-fields.ts'
import type { Opener } from '../../../kernel/secrets/vault.ts'
import { assetsGateway } from '../tables.ts'
import { sshFailureText, throughGateways } from './ssh.ts'
import { noteGatewayHealth, toTargetGateway } from './ways.ts'

type Writing = WriteContext<typeof gateway, typeof assetsGateway>
type Written = WrittenContext<typeof gateway, typeof assetsGateway>

type Gateway = typeof assetsGateway.$inferSelect

const testBody = z.object({ port: z.coerce.number().int().min(1).max(65_535).nullish() })

/** Gateways of networks, and a test of one (docs/rules/assets.md#gateway). */
export default function mountGateway(kernel: Kernel): void {
  mountResource(kernel, gateway, {
    table: assetsGateway,
    filters: {
      domain__name: (value) =>
        sql`EXISTS (SELECT 1 FROM assets_domain d WHERE d.id = ${assetsGateway.domain} AND d.name = ${value})`,
    },
    search: (pattern) =>
      sql`EXISTS (SELECT 1 FROM assets_domain d WHERE d.id = ${assetsGateway.domain} AND d.name ILIKE ${pattern})`,
    sealed: ['password', 'private_key'],
    computed: [{ fields: ['is_connective'], load: loadHealth }],
    rules: {
      beforeWrite: [bareAddress, checkSecrets, askSecretsAgain, keepReplaced('gateway', assetsGateway)],
      afterWrite: [writeHealth],
    },
  })
  kernel.app.route({
    method: 'POST',
    url: '/api/v1/assets/gateways/:id/test-connective/',
    config: { access: ['org_admin'], summary: 'Log in to a gateway, and through it to itself', takes: testBody },
    handler: async (request, reply) => {
      const { port } = testBody.parse(request.body ?? {})
      const { call } = request
      const row = await getGateway(kernel, request, (request.params as { id: string }).id)
      const failure = await testGateway(kernel, row, port ?? row.port)
      await noteGatewayHealth(kernel, row.id, !failure)
      if (failure)
        throw new AppError(400, 'bad_request', failure, { body: { error: translate(call.language, failure) } })
      // A bare JSON string.
      return reply.type('application/json').send('"ok"')
    },
  })
}

function bareAddress({ draft }: { draft: { ip?: string | undefined } }): void {
  if (draft.ip) draft.ip = bareHost(draft.ip)
}

/** A gateway of the caller's organization. Throws 404. */
export async function getGateway({ db }: Kernel, { call }: Pick<FastifyRequest, 'call'>, id: string): Promise<Gateway> {
  return rowInOrg(db, call, assetsGateway, id)
}

/** Time limit of each of the two hops. */
const TEST_TIMEOUT_MS = 5000

/**
 * Logs in to the gateway, and from there connects to its own loopback address; answers what went
 * wrong, or undefined.
 */
async function testGateway(kernel: Kernel, row: Gateway, port: number): Promise<string | undefined> {
  const way = toTargetGateway(row, kernel.secrets.open('test', `gateway ${row.id}`))
  try {
    const connection = await throughGateways(
      kernel,
      [way],
      { ...way, host: '127.0.0.1', port, scope: { orgId: row.org_id, gateway: row.id } },
      { timeoutMs: TEST_TIMEOUT_MS },
    )
    connection.close()
    return undefined
  } catch (error) {
    return sshFailureText(error)
  }
}

/**
 * The secrets of a gateway are for its address: a person who moves it sends them again. Otherwise
 * everybody who may move it could have them sent to a machine of their own. One of the two is
 * enough: the trigger `assets_gateway_drop_secrets` drops unsent ones.
 */
async function askSecretsAgain({ db, draft, row }: Writing): Promise<void> {
  const isMoved =
    row && (['ip', 'port', 'protocol'] as const).some((name) => name in draft && draft[name] !== row[name])
  if (!isMoved || draft.password || draft.private_key) return
  const [stored] = await db
    .select({
      password: isNotNull(assetsGateway.password_sealed),
      private_key: isNotNull(assetsGateway.private_key_sealed),
    })
    .from(assetsGateway)
    .where(eq(assetsGateway.id, row.id))
  const field = stored?.password ? 'password' : stored?.private_key ? 'private_key' : undefined
  if (field) throw invalid({ [field]: 'The gateway was moved: enter its password or key again' })
}

async function loadHealth(rows: readonly StoredRow<typeof assetsGateway>[]): Promise<Record<string, unknown>[]> {
  const now = Date.now()
  return rows.map(({ unreachable_until }) => ({
    is_connective: !(unreachable_until !== null && unreachable_until.getTime() > now),
  }))
}

/** Writing the flag has the effect of a test's result (docs/rules/assets.md#gateway). */
async function writeHealth({ db, draft, stored }: Written): Promise<void> {
  if (typeof draft.is_connective !== 'boolean') return
  await noteGatewayHealth({ db }, stored.id, draft.is_connective)
  const [row] = await db
    .select({ until: assetsGateway.unreachable_until })
    .from(assetsGateway)
    .where(eq(assetsGateway.id, stored.id))
  stored.unreachable_until = row?.until ?? null
}

/** Opens gateways' secrets for a component; for anybody else there is no opener. */
export async function openForComponent(
  { kernel, db, call }: ReadContext,
  gateways: readonly Gateway[],
): Promise<Opener | undefined> {
  if (!isComponent(call)) return undefined
  const owners = gateways.map(({ id, name, org_id }) => ({ kind: 'gateway', id, name, orgId: org_id }) as const)
  return kernel.secrets.handOut(db, call, 'component', 'gateways of a domain', owners)
}

/** A gateway as components read it, with its secrets where they may be opened. */
export function gatewayAnswer({ call }: ReadContext, row: Gateway, open: Opener | undefined): Record<string, unknown> {
  const { password_sealed, private_key_sealed, unreachable_until, silent_seconds, public_key, ...shown } = row
  const secrets = open && {
    password: password_sealed ? open(password_sealed) : '',
    private_key: private_key_sealed ? open(private_key_sealed) : '',
    public_key,
  }
  return {
    ...shown,
    date_created: formatDateTime(row.date_created, call.timeZone),
    date_updated: formatDateTime(row.date_updated, call.timeZone),
    is_connective: !(unreachable_until && unreachable_until.getTime() > Date.now()),
    ...secrets,
  }
}

/** Active SSH gateways of a domain. */
export async function activeGateways(context: ReadContext, domainId: string | null): Promise<Gateway[]> {
  if (!domainId) return []
  return context.db
    .select()
    .from(assetsGateway)
    .where(
      and(
        inArray(assetsGateway.domain, [domainId]),
        eq(assetsGateway.is_active, true),
        eq(assetsGateway.protocol, 'ssh'),
      ),
    )
    .orderBy(assetsGateway.name)
}
