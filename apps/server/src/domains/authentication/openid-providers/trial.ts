import { openidProvider as definition } from '@sallyport/contract/resources/authentication/openid-provider.ts'
import { z } from 'zod'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'
import { readOver, registerTrial, trialForm } from '../people-sources/trial.ts'
import { countKeys, discover } from '../single-sign-on/openid/discovery.ts'
import { openidProvider, usesJwks } from '../single-sign-on/openid/provider.ts'
import { openidSources } from '../single-sign-on/openid/sources.ts'

const text = z.string().max(1024)
const asked = { issuer: text.trim().min(1), ignore_ssl_verification: z.boolean().default(false) }
const takes = trialForm({
  ...asked,
  client_id: text.default(''),
  authorization_endpoint: text.min(1),
  token_endpoint: text.min(1),
  jwks_endpoint: text.min(1),
  userinfo_endpoint: text.min(1),
  end_session_endpoint: text.default(''),
  signature_alg: text.default(definition.fields.signature_alg.default),
  signature_key: z.string().max(definition.fields.signature_key.maxLength).default(''),
})
type Form = z.infer<typeof takes>

/** Reads what a provider says of itself, to fill a form in or to hold it against one. */
export function registerOpenidTrials(kernel: Kernel): void {
  registerTrial(kernel, {
    path: definition.path,
    call: 'discover',
    summary: 'Read the endpoints of an OpenID provider',
    takes: trialForm(asked),
    run: async ({ issuer, ignore_ssl_verification: isTrusting }) => {
      const { signature_algs: _, ...fields } = await discover(issuer, !isTrusting)
      return fields
    },
  })
  registerTrial(kernel, {
    path: definition.path,
    call: 'test',
    summary: 'Test the endpoints of an OpenID provider',
    takes,
    run: async (form, language) => {
      await compare(kernel, form)
      return { msg: translate(language, 'The provider is as the form has it: issuer, endpoints and keys.') }
    },
  })
}

/** Throws for what differs from the provider's own document, and for keys that can't be read. */
async function compare(kernel: Kernel, form: Form): Promise<void> {
  const isVerified = !form.ignore_ssl_verification
  const settings = readOver(settingsOf(kernel), {
    ...openidSources.asSettings(form),
    AUTH_OPENID_KEYCLOAK: false,
    AUTH_OPENID_CLIENT_SECRET: '',
  })
  const published = await discover(form.issuer, isVerified)
  const has = openidProvider(settings).config.serverMetadata()
  const pairs = [
    ['authorization_endpoint', has.authorization_endpoint],
    ['token_endpoint', has.token_endpoint],
    ['jwks_endpoint', has.jwks_uri],
    ['userinfo_endpoint', has.userinfo_endpoint],
    ...(form.end_session_endpoint ? [['end_session_endpoint', has.end_session_endpoint] as const] : []),
  ] as const
  const other = pairs.find(([field, value]) => value !== new URL(published[field]).href)
  if (other) throw new Error(`${definition.fields[other[0]].label}: ${published[other[0]]}`)
  if (published.signature_algs.length && !published.signature_algs.includes(form.signature_alg))
    throw new Error(`${definition.fields.signature_alg.label}: ${published.signature_algs.join(', ')}`)
  if (usesJwks(settings) && (await countKeys(published.jwks_endpoint, isVerified)) === 0)
    throw new Error(`${published.jwks_endpoint} holds no keys`)
}
