import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { at, type Json, jsonOf, listAt, textAt } from './answers.ts'
import { type CloudAttrs, type CloudInstance, checkedRegion, type OpenCloud, pagesBy } from './cloud.ts'
import { CloudError, refusalOf } from './cloud-error.ts'
import { TokenKeeper } from './token-keeper.ts'

/**
 * The address of tokens; not that of the key, which the person who entered it could have changed.
 */
const TOKENS = 'https://oauth2.googleapis.com/token'
const COMPUTE = 'https://compute.googleapis.com/compute/v1/projects'
const SCOPE = 'https://www.googleapis.com/auth/compute.readonly'
const LIFE_SECONDS = 3600

interface ServiceAccount {
  client_email: string
  private_key_id: string
  project_id: string
  key: KeyObject
}

const part = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/**
 * The request of a service account for its token: a JWT by RS256 (Google, "Using OAuth 2.0 for
 * Server to Server Applications").
 */
export function googleAssertion({ client_email, private_key_id, key }: ServiceAccount, date: Date): string {
  const iat = Math.floor(date.getTime() / 1000)
  const head = part({ alg: 'RS256', typ: 'JWT', kid: private_key_id })
  const claims = part({ iss: client_email, scope: SCOPE, aud: TOKENS, iat, exp: iat + LIFE_SECONDS })
  return `${head}.${claims}.${sign('sha256', Buffer.from(`${head}.${claims}`), key).toString('base64url')}`
}

/** Virtual machines of Compute Engine, zone by zone (Compute Engine API v1: regions, instances). */
export const openGoogle: OpenCloud = (attrs, transport) => {
  const account = accountOf(attrs)
  const token = new TokenKeeper(() =>
    transport.ask(
      () => ({
        method: 'POST',
        url: TOKENS,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
          assertion: googleAssertion(account, new Date()),
        }).toString(),
      }),
      (answer) => {
        const found = jsonOf(answer)
        // The error `invalid_grant` means that it does not know the key.
        if (found.error === 'invalid_grant') throw new CloudError('denied', `${answer.status} invalid_grant`)
        if (answer.status !== 200) throw refusalOf(answer.status, found.error)
        return { token: textAt(found, 'access_token'), seconds: Number(found.expires_in ?? 0) }
      },
    ),
  )
  const ask = async (path: string) => {
    const bearer = await token.now()
    return transport.ask(
      () => ({
        method: 'GET',
        url: `${COMPUTE}/${account.project_id}/${path}`,
        headers: { authorization: `Bearer ${bearer}` },
      }),
      (answer) => {
        const found = jsonOf(answer)
        if (answer.status !== 200)
          throw refusalOf(
            answer.status,
            textAt(at(found, 'error', 'errors', '0'), 'reason') || at(found, 'error', 'status'),
          )
        return found
      },
    )
  }
  const pages = (path: string) =>
    pagesBy(async (mark) => {
      const found = await ask(`${path}?maxResults=500${mark && `&pageToken=${encodeURIComponent(mark)}`}`)
      return { items: listAt(found, 'items'), next: textAt(found, 'nextPageToken') }
    })
  return {
    async regions() {
      const all = (await Array.fromAsync(pages('regions'))).flat()
      return all.map((one) => ({ id: textAt(one, 'name'), name: textAt(one, 'name') }))
    },
    async *instances(region) {
      const found = await ask(`regions/${checkedRegion(region)}`)
      const zones = Array.isArray(found.zones) ? found.zones : []
      for (const zone of zones) {
        const name = String(zone).split('/').at(-1) ?? ''
        for await (const page of pages(`zones/${checkedRegion(name)}/instances`)) yield page.map(instanceOf)
      }
    },
  }
}

function accountOf({ service_account_key: text }: CloudAttrs): ServiceAccount {
  try {
    const value: Json = JSON.parse(String(text))
    const [client_email, private_key_id] = [textAt(value, 'client_email'), textAt(value, 'private_key_id')]
    const project_id = textAt(value, 'project_id')
    const key = createPrivateKey(textAt(value, 'private_key'))
    if (client_email && /^[a-z0-9.:-]+$/.test(project_id)) return { client_email, private_key_id, project_id, key }
  } catch {
    // Told below, without a word of it.
  }
  throw new CloudError('denied', 'this is no key of a service account')
}

function instanceOf(one: Json): CloudInstance {
  const networks = listAt(one, 'networkInterfaces')
  const outside = networks.flatMap((network) =>
    listAt(network, 'accessConfigs').flatMap((access) => textAt(access, 'natIP') || []),
  )
  const features = listAt(one, 'disks').flatMap((disk) => listAt(disk, 'guestOsFeatures'))
  return {
    id: textAt(one, 'id'),
    name: textAt(one, 'name'),
    addresses: [...networks.map((network) => textAt(network, 'networkIP')), ...outside],
    publicAddress: outside[0] ?? '',
    isWindows: features.some((feature) => textAt(feature, 'type') === 'WINDOWS'),
  }
}
