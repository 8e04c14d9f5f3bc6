import type { Target } from '@sallyport/contract/target.ts'
import { sql } from 'drizzle-orm'
import { ownPermissions, permsTarget } from '../../domains/perms/index.ts'
import { settingsOf } from '../../domains/settings/index.ts'
import { notFound } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Person } from '../session/person.ts'
import type { RequestBase } from '../session/session-request.ts'

/** The letter of each family in an address. */
const LETTERS: Readonly<Record<Target['family'], string>> = { asset: 'a', application: 'p' }
/** That letter, and the ids of target and system user, each of sixteen bytes. */
const CODE = /^([ap])([\w-]{22})([\w-]{22})?$/

/** Targets of one name that are looked at. */
const MAX_NAMESAKES = 20

interface Asked extends Pick<RequestBase, 'person' | 'target'> {
  systemUserId?: string | undefined
}

/**
 * The address at which a person reads why a session is refused, short enough for a line of a terminal.
 * Undefined without a permission that names them and covers the target: of that nothing is said, not
 * even that it exists.
 */
export async function shortAddress(
  kernel: Kernel,
  { person, target, systemUserId }: Asked,
): Promise<string | undefined> {
  if (!(await ownPermissions(kernel.db, { userId: person.id, target }))) return undefined
  const site = settingsOf(kernel).get('SITE_URL')
  return `${site}/why/${LETTERS[target.family]}${shorter(target.id)}${systemUserId ? shorter(systemUserId) : ''}`
}

/**
 * The same for a machine by name, address or id, and a system user by name, user name or id, as a
 * client names them. It takes as long whether they exist or not.
 */
export async function shortAddressOfNamed(
  kernel: Kernel,
  person: Person,
  { asset, systemUser }: { asset: string; systemUser: string },
): Promise<string | undefined> {
  const { rows } = await kernel.db.execute<{ id: string; family: Target['family']; account: string | null }>(sql`
    SELECT t.id, t.family, (SELECT s.id FROM assets_listed_system_user s
      WHERE s.org_id = t.org_id AND ${systemUser} IN (s.username, s.name, s.id::text) ORDER BY s.username = ${systemUser} DESC, s.id LIMIT 1) AS account
    FROM ${permsTarget} t JOIN (SELECT DISTINCT org_id FROM orgs_membership WHERE user_id = ${person.id}::uuid) own ON own.org_id = t.org_id
    WHERE t.name = ${asset} OR t.address = ${asset} OR t.id::text = lower(${asset}) ORDER BY t.id LIMIT ${MAX_NAMESAKES}`)
  for (const { id, family, account } of rows.length ? rows : [NOWHERE]) {
    const address = await shortAddress(kernel, { person, target: { family, id }, systemUserId: account ?? undefined })
    if (address) return address
  }
  return undefined
}

/** No target. */
const NOWHERE = { id: '00000000-0000-0000-0000-000000000000', family: 'asset', account: null } as const

/** GET /why/:code: leads to the page of the console, which asks who is there. */
export function registerShortAddress(kernel: Kernel): void {
  kernel.app.route({
    method: 'GET',
    url: '/why/:code',
    config: {
      access: ['anonymous'],
      summary: 'Leads to the page that says why a session is refused',
      answers: 'moved',
      answerStatus: 302,
    },
    handler: async ({ params }, reply) => {
      const [, letter, target = '', account = ''] = CODE.exec((params as { code: string }).code) ?? []
      if (!letter) throw notFound()
      const family = letter === LETTERS.asset ? 'asset' : 'application'
      const of = account && `&system_user=${longer(account)}`
      return reply.redirect(`/ui/perms/own-access?${family}=${longer(target)}${of}`, 302)
    },
  })
}

const shorter = (id: string): string => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')

const longer = (code: string): string =>
  Buffer.from(code, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
