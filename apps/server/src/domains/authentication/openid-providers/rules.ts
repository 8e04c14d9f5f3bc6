import type { openidProvider as definition } from '@sallyport/contract/resources/authentication/openid-provider.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { WriteContext } from '../../../kernel/resource/mount.ts'
import type { SettingsStore } from '../../settings/index.ts'
import { isKept, type KeptSecret, secretFault } from '../people-sources/kept-secret.ts'
import { faultsAsSettings } from '../people-sources/rules.ts'
import { openidSources } from '../single-sign-on/openid/sources.ts'
import { authenticationOpenidProvider as table } from '../single-sign-on/openid/tables.ts'

type Writing = WriteContext<typeof definition, typeof table>

const CLIENT_SECRET: KeptSecret = {
  table,
  field: 'client_secret',
  what: 'client secret of OpenID provider',
  addresses: ['issuer', 'token_endpoint', 'client_id'],
  unchecked: 'ignore_ssl_verification',
}

/** Throws 400 by field for what the settings of the first provider would be refused for as well. */
export async function checkProvider(settings: SettingsStore, { call, db, draft, row }: Writing): Promise<void> {
  const say = (text: string) => translate(call.language, text)
  const after = { ...row, ...draft }
  const faults = faultsAsSettings(openidSources, settings, call, after)
  const { user_attr_map: map = {}, signature_alg: algorithm = '' } = after
  if (!Object.values(map).every((claim) => typeof claim === 'string' && claim !== ''))
    faults.user_attr_map = say('Each attribute takes the name of a claim')
  const again = await secretFault(CLIENT_SECRET, { db, draft, row })
  if (again) faults.client_secret = say(again)
  // With an empty one anybody could sign.
  else if (algorithm.startsWith('HS') && !draft.client_secret && !(row && (await isKept(db, CLIENT_SECRET, row.id))))
    faults.client_secret = say('Tokens are signed with the client secret: enter it')
  if (Object.keys(faults).length) throw invalid(faults as Parameters<typeof invalid>[0])
}
