import type { saml2Provider as definition } from '@sallyport/contract/resources/authentication/saml2-provider.ts'
import { eq } from 'drizzle-orm'
import { invalid } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { WriteContext } from '../../../kernel/resource/mount.ts'
import { settingsOf } from '../../settings/index.ts'
import { type KeptSecret, openKept } from '../people-sources/kept-secret.ts'
import { faultsAsSettings } from '../people-sources/rules.ts'
import { saml2Sources } from '../single-sign-on/saml2/sources.ts'
import { authenticationSaml2Provider as table } from '../single-sign-on/saml2/tables.ts'

type Writing = WriteContext<typeof definition, typeof table>

/** It is sent nowhere. */
const SP_KEY: KeptSecret = { table, field: 'sp_key', what: 'SP private key for SAML2 provider', addresses: [] }

/** Throws 400 by field for what the settings of the first provider would be refused for as well. */
export async function checkProvider(kernel: Kernel, { call, db, draft, row }: Writing): Promise<void> {
  const say = (text: string) => translate(call.language, text)
  const { sp_certificate: certificate = '', metadata_url: url = '', metadata_xml: xml = '' } = { ...row, ...draft }
  // Forms send an empty key for the stored one: taking its certificate away takes both away.
  const isTakenAway = row !== undefined && !draft.sp_key && draft.sp_certificate?.trim() === ''
  if (isTakenAway) await db.update(table).set({ sp_key_sealed: null }).where(eq(table.id, row.id))
  const key = draft.sp_key || (row ? await openKept({ db, secrets: kernel.secrets }, SP_KEY, row.id) : '')
  const pair = { SAML2_SP_KEY_CONTENT: key, SAML2_SP_CERT_CONTENT: certificate }
  const faults = faultsAsSettings(saml2Sources, settingsOf(kernel), call, draft, pair)
  if (!url.trim() && !xml.trim()) faults.metadata_url = say('Enter the address of the metadata, or the metadata itself')
  // One without the other is of no use, and that of the settings belongs to another one.
  if (key && !certificate.trim()) faults.sp_certificate = say('Enter the certificate of the private key')
  if (!key && certificate.trim()) faults.sp_key = say('Enter the private key of the certificate')
  if (Object.keys(faults).length) throw invalid(faults as Parameters<typeof invalid>[0])
}
