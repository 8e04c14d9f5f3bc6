import { spoken } from '@sallyport/contract/names.ts'
import { eq, sql } from 'drizzle-orm'
import { displayName } from '../../../kernel/access/call.ts'
import { invalid, refused } from '../../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { canSendMail, sendMail } from '../../notifications/index.ts'
import type { TaskLog } from '../../ops/index.ts'
import { orgsListedOrganization } from '../../orgs/index.ts'
import type { FileReader } from '../../users/profile/index.ts'
import { secretsSheet } from '../backup/workbooks.ts'
import { MAX_MAIL_BYTES, readersOf, sayIn } from '../mail-files.ts'
import { bundleFiles } from './bundle-file.ts'
import { accountsOf, type Bundle, type SealedAccount } from './contents.ts'
import { accountsBreakGlass, accountsBreakGlassAccount } from './tables.ts'

type Holder = FileReader & { filePassword: string }

/** A statement takes 65,535 values, and a thousand assets may have more accounts than go into one. */
const ROWS_AT_ONCE = 1000

/** Those who get a share, each with their password. Throws 400 where the bundle can't be sealed for them. */
export async function holdersOf(
  kernel: Kernel,
  { id, name, org_id, threshold }: Bundle,
  language: Language,
): Promise<Holder[]> {
  if (!canSendMail(kernel)) throw refused('no_mail_server', 'No mail server is set up')
  const ids = sql`SELECT "user" FROM accounts_break_glass_holder WHERE bundle = ${id}`
  const holders = await readersOf(kernel, { ids, orgId: org_id, reason: `break-glass bundle ${name}` })
  if (holders.length < threshold)
    throw invalid({ holders: 'Fewer holders can sign in than are needed to open it: choose others' })
  const without = holders.filter(({ filePassword }) => !filePassword)
  if (without.length) {
    const names = without.map((one) => spoken(displayName(one))).join(', ')
    const text = '{{names}}: no file encryption password yet. They set it in their profile.'
    throw invalid({ holders: translate(language, text, { names }) })
  }
  return holders as Holder[]
}

/**
 * Seals the accounts of a bundle and sends each holder the file with their share. What is in it is
 * noted before anything is sent: it is changed once the bundle was opened.
 */
export async function sealBundle(kernel: Kernel, id: string, log: TaskLog): Promise<Record<string, unknown>> {
  const { db } = kernel
  const [bundle] = await db.select().from(accountsBreakGlass).where(eq(accountsBreakGlass.id, id))
  if (!bundle) return {}
  const holders = await holdersOf(kernel, bundle, 'en')
  const accounts = await accountsOf(db, bundle)
  if (!accounts.length) {
    await log('The bundle has no accounts')
    return { is_success: false }
  }
  const files = await bundleFiles({
    ...{ id, name: bundle.name, threshold: bundle.threshold },
    holders: holders.map((one) => ({ name: displayName(one), password: one.filePassword })),
    content: { sheets: await sheetsOf(kernel, bundle, accounts) },
  })
  if (files.some(({ length }) => length * 1.4 > MAX_MAIL_BYTES)) {
    await log('The file is larger than what mail servers take: make bundles of fewer accounts')
    return { is_success: false }
  }
  await note(kernel, bundle, accounts)
  for (const [at, holder] of holders.entries()) {
    await send(kernel, bundle, holder, { number: at + 1, content: files[at] as Buffer })
    await log(`${displayName(holder)} | ${holder.email}`)
  }
  return { is_success: true, accounts: accounts.length }
}

/** The accounts with their secrets in clear; each leaves a row of its way out. */
async function sheetsOf(
  kernel: Kernel,
  { org_id }: Bundle,
  accounts: readonly Pick<SealedAccount, 'account' | 'app'>[],
) {
  const [org] = await kernel.db.select().from(orgsListedOrganization).where(eq(orgsListedOrganization.id, org_id))
  const of = { org: { id: org_id, name: org?.name ?? '' }, language: 'en' as const }
  const kinds = {
    asset_account_secret: accounts.filter(({ app }) => !app),
    application_account_secret: accounts.filter(({ app }) => app),
  }
  const sheets = []
  for (const [name, some] of Object.entries(kinds)) {
    if (!some.length) continue
    const rows = await secretsSheet(kernel, of, name, { ids: some.map(({ account }) => account).join(',') })
    sheets.push({ name, rows })
  }
  return sheets
}

/** Files that were given out before, and not opened, stay part of what is changed after an opening. */
async function note(
  { db }: Kernel,
  { id, state }: Bundle,
  accounts: readonly Omit<SealedAccount, 'bundle' | 'date_sent'>[],
): Promise<void> {
  await db.transaction(async (tx) => {
    const date_sent = new Date()
    if (state === 'opened') await tx.delete(accountsBreakGlassAccount).where(eq(accountsBreakGlassAccount.bundle, id))
    for (let from = 0; from < accounts.length; from += ROWS_AT_ONCE)
      await tx
        .insert(accountsBreakGlassAccount)
        .values(accounts.slice(from, from + ROWS_AT_ONCE).map((one) => ({ ...one, bundle: id, date_sent })))
        .onConflictDoUpdate({
          target: [accountsBreakGlassAccount.bundle, accountsBreakGlassAccount.account],
          set: { date_sent, username: sql`excluded.username`, has_key: sql`excluded.has_key` },
        })
    await tx
      .update(accountsBreakGlass)
      .set({ state: 'sealed', date_sent, date_opened: null })
      .where(eq(accountsBreakGlass.id, id))
  })
}

async function send(
  kernel: Kernel,
  { name, threshold }: Bundle,
  { email, language }: Holder,
  { number, content }: { number: number; content: Buffer },
): Promise<void> {
  const say = sayIn(language)
  await sendMail(kernel, {
    to: email,
    subject: say('Break-glass bundle: {{name}}', { name }),
    paragraphs: [
      say(
        'You hold one of the shares of the bundle {{name}}. {{threshold}} of its holders together open the accounts in it, without Sallyport.',
        { name, threshold },
      ),
      say(
        'Keep the attached file where you reach it when nothing else works, together with open-bundle.mjs. Your share in it is sealed under your file encryption password as it is now: remember it, and give it to nobody.',
      ),
    ],
    attachments: [
      {
        filename: `${name.replace(/[^\p{L}\p{N}._-]+/gu, '_')}-share-${number}.json`,
        content: content.toString('base64'),
      },
    ],
  })
}
