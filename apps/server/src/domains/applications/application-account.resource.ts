import { applicationAccount } from '@sallyport/contract/resources/applications/application-account.ts'
import { applicationAccountSecret } from '@sallyport/contract/resources/applications/application-account-secret.ts'
import {
  APPLICATION_CATEGORIES,
  APPLICATION_TYPES,
  type ApplicationCategory,
  type ApplicationType,
} from '@sallyport/contract/resources/applications/application-types.ts'
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { refused } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { DeleteContext, Mount, ReadContext, StoredRow, WriteContext } from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { countedRows } from '../../kernel/row-counts.ts'
import { type SealedInJson, sealedBytes } from '../../kernel/secrets/sealed-json.ts'
import { checkSecrets, keepReplaced } from '../../kernel/secrets/secret-fields.ts'
import { keepOutside } from '../assets/secret-sources/index.ts'
import {
  accountUsers,
  countVersion,
  hasUsername,
  inheritUsername,
  keptWhere,
  loginName,
  registerAccountHistory,
  secretsOfAccounts,
  staysWith,
  withoutZone,
} from '../system-users/index.ts'
import { shownAttrs } from './shown-attrs.ts'
import { applicationsAccount, applicationsApplication } from './tables.ts'

type Account = StoredRow<typeof applicationsAccount>
type Application = Pick<
  typeof applicationsApplication.$inferSelect,
  'id' | 'org_id' | 'name' | 'category' | 'type' | 'attrs'
>

/** The account list and the same list with secrets (docs/rules/accounts.md#application_account). */
export default function mountApplicationAccounts(kernel: Kernel): void {
  const secrets = secretsOfAccounts({ kind: 'application_account', table: applicationsAccount, inWords })
  mountResource(kernel, applicationAccountSecret, {
    ...shared,
    computed: [facts, keptWhere(applicationsAccount), { fields: ['attrs'], load: secretAttrs }, secrets.computed],
    rules: secrets.rules,
  })
  const accounts = mountResource(kernel, applicationAccount, {
    ...shared,
    computed: [facts, keptWhere(applicationsAccount), { fields: ['attrs'], load: openAttrs }],
    sealed: ['password', 'private_key'],
    inWords,
    rules: {
      existing: samePair,
      beforeWrite: [
        staysWith('app', 'systemuser'),
        inheritUsername,
        keepOutside('application_account', applicationsAccount),
        checkSecrets,
        countVersion,
        keepReplaced('application_account', applicationsAccount),
      ],
      beforeDelete: [askWhich],
    },
  })
  registerAccountHistory(kernel, accounts, 'application_account', applicationAccountSecret)
}

const facts = {
  fields: ['username', 'app_display', 'systemuser_display', 'type', 'type_display', 'category', 'category_display'],
  load: loadFacts,
} as const

const ofApplications = (condition: SQL): SQL =>
  sql`${applicationsAccount.app} IN (SELECT id FROM ${applicationsApplication} WHERE ${condition})`

const shared = {
  table: applicationsAccount,
  search: (pattern) => sql`${applicationsAccount.id} IN (
    SELECT id FROM ${applicationsAccount} WHERE username <> '' AND username ILIKE ${pattern}
    UNION ALL SELECT c.id FROM ${applicationsAccount} c JOIN applications_application a ON a.id = c.app WHERE a.name ILIKE ${pattern}
    UNION ALL SELECT c.id FROM ${applicationsAccount} c JOIN assets_listed_system_user s ON s.id = c.systemuser WHERE s.username ILIKE ${pattern})`,
  filters: {
    username: (value, context) => hasUsername(applicationsAccount, value, context),
    type: (value) => ofApplications(eq(applicationsApplication.type, value)),
    category: (value) => ofApplications(eq(applicationsApplication.category, value)),
    app_display: (value) => ofApplications(eq(applicationsApplication.name, value)),
  },
  readByOrg: true,
  count: async (context, isNarrowed) => (isNarrowed ? undefined : countedRows(context, applicationsAccount)),
  present: withoutZone,
} satisfies Partial<Mount<typeof applicationAccount, typeof applicationsAccount>> & {
  table: typeof applicationsAccount
}

async function applicationsOf(db: Database, rows: readonly Account[]): Promise<ReadonlyMap<string, Application>> {
  const { id, org_id, name, category, type, attrs } = applicationsApplication
  const found = await db
    .select({ id, org_id, name, category, type, attrs })
    .from(applicationsApplication)
    .where(inArray(id, [...new Set(rows.map(({ app }) => app))]))
  return new Map(found.map((one) => [one.id, one]))
}

async function loadFacts(rows: readonly Account[], { db, call }: ReadContext) {
  const applications = await applicationsOf(db, rows)
  const users = await accountUsers(db, rows)
  return rows.map(({ app, systemuser, username }) => {
    const application = applications.get(app)
    const user = users.get(systemuser ?? '')
    const category = application?.category as ApplicationCategory
    const type = application?.type as ApplicationType
    return {
      username: username || user?.username || '',
      app_display: application?.name ?? '',
      systemuser_display: user?.name ?? '',
      type,
      type_display: translate(call.language, APPLICATION_TYPES[type]?.label ?? ''),
      category,
      category_display: translate(call.language, APPLICATION_CATEGORIES[category] ?? ''),
    }
  })
}

async function openAttrs(rows: readonly Account[], { db }: ReadContext) {
  const applications = [...(await applicationsOf(db, rows)).values()]
  const shown = await shownAttrs(db, applications)
  const byId = new Map(applications.map(({ id }, at) => [id, shown[at]]))
  return rows.map(({ app }) => ({ attrs: byId.get(app) ?? {} }))
}

/** With the passwords of remote apps in clear; each is a look of its own. */
async function secretAttrs(rows: readonly Account[], context: ReadContext) {
  const { kernel, call, query } = context
  const shown = await openAttrs(rows, context)
  const applications = await applicationsOf(context.db, rows)
  const withSecrets = [...applications.values()].filter(({ attrs }) => Object.values(attrs).some(isSealed))
  const open = await kernel.secrets.handOut(
    kernel.db,
    call,
    query.format ? 'export' : 'reveal',
    'password of a remote app',
    withSecrets.map(({ id, name, org_id }) => ({ kind: 'application', id, name, orgId: org_id })),
  )
  return rows.map(({ app }, at) => {
    const sealed = Object.entries(applications.get(app)?.attrs ?? {}).filter(([, value]) => isSealed(value))
    const opened = sealed.map(([name, value]) => [name, open(sealedBytes(value as SealedInJson))])
    return { attrs: { ...shown[at]?.attrs, ...Object.fromEntries(opened) } }
  })
}

const isSealed = (value: unknown) => typeof value === 'object' && value !== null

/** `scott@orders`, with `*` for the person who connects. */
async function inWords(rows: readonly Account[], db: Database): Promise<string[]> {
  const applications = await applicationsOf(db, rows)
  const users = await accountUsers(db, rows)
  return rows.map(
    ({ app, systemuser, username }) =>
      `${loginName(username, users.get(systemuser ?? ''))}@${applications.get(app)?.name ?? app}`,
  )
}

/** A pair that exists is answered as it is (docs/rules/accounts.md#application_account). */
async function samePair({
  db,
  draft,
  bulk,
}: WriteContext<typeof applicationAccount, typeof applicationsAccount>): Promise<Account | undefined> {
  if (!bulk || !draft.systemuser) return undefined
  const [found] = await db
    .select()
    .from(applicationsAccount)
    .where(
      and(
        eq(applicationsAccount.app, draft.app ?? ''),
        eq(applicationsAccount.systemuser, draft.systemuser),
        eq(applicationsAccount.username, draft.username ?? ''),
      ),
    )
  return found
}

/** Filters alone delete nothing (docs/rules/accounts.md#application_account). */
function askWhich({ bulk, query, parameters }: DeleteContext<typeof applicationsAccount>): void {
  if (bulk && !parameters.id && !query.ids && !query.spm)
    throw refused('bad_request', 'Say which accounts to delete: by ids or a selection.')
}
