import { at, type Json, jsonOf, listAt, textAt } from './answers.ts'
import { type CloudInstance, isRegion, type OpenCloud, pagesFrom, textOf } from './cloud.ts'
import { CloudError, refusalOf } from './cloud-error.ts'
import { TokenKeeper } from './token-keeper.ts'
import type { CloudAnswer } from './transport.ts'

/** What it answers at most. */
const PAGE = 1000
/** Default when the lifetime of its token is unknown: half of the usual one. */
const TOKEN_SECONDS = 900

/**
 * Huawei Cloud Stack by the operation centre of its ManageOne: a token for name and password, then
 * its inventory (`SYS_BusinessRegion`, `CLOUD_VM`). The service centre is not asked.
 */
export const openHuaweiPrivate: OpenCloud = (attrs, transport) => {
  const endpoint = textOf(attrs, 'api_endpoint').replace(/\/+$/, '')
  const accepted = (answer: CloudAnswer): Json => {
    if (answer.status !== 200) throw refusalOf(answer.status, codeOf(answer))
    return jsonOf(answer)
  }
  const tokens = new TokenKeeper(async () => {
    const found = await transport.ask(
      () => ({
        method: 'PUT',
        url: `${endpoint}/rest/plat/smapp/v1/oauth/token`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          grantType: 'password',
          userName: textOf(attrs, 'oc_username'),
          value: textOf(attrs, 'oc_password'),
        }),
      }),
      accepted,
    )
    return { token: textAt(found, 'accessSession'), seconds: Number(textAt(found, 'expires')) || TOKEN_SECONDS }
  })
  const pages = (kind: string, condition = '') =>
    pagesFrom(async (offset) => {
      const token = await tokens.now()
      const url = `${endpoint}/rest/${kind}?pageNo=${offset / PAGE + 1}&pageSize=${PAGE}${condition}`
      const found = await transport.ask(() => ({ method: 'GET', url, headers: { 'x-auth-token': token } }), accepted)
      const items = listAt(found, 'objList')
      const total = at(found, 'totalNum')
      // Without it a list that was cut would look like a whole one.
      if (typeof total !== 'number') throw new CloudError('unreadable', 'no number of rows')
      if (items.length < PAGE && offset + items.length < total)
        throw new CloudError('unreadable', `${offset + items.length} of ${total} rows`)
      return { items, total }
    })
  return {
    async regions() {
      const rows = (await Array.fromAsync(pages('cmdb/v1/instances/SYS_BusinessRegion'))).flat()
      return rows.map((one) => ({ id: textAt(one, 'id'), name: textAt(one, 'name') || textAt(one, 'nativeId') }))
    },
    async *instances(region) {
      if (!isRegion(region)) throw new CloudError('refused', 'no such region')
      const constraint = [{ simple: { name: 'bizRegionId', operator: 'equal', value: region } }]
      const condition = `&condition=${encodeURIComponent(JSON.stringify({ constraint }))}`
      for await (const page of pages('tenant-resource/v1/instances/CLOUD_VM', condition))
        yield page.filter((one) => textAt(one, 'status').toLowerCase() !== 'deleted').map(instanceOf)
    },
  }
}

function codeOf({ text }: CloudAnswer): string {
  try {
    const found: unknown = JSON.parse(text)
    return textAt(found, 'exceptionId') || textAt(found, 'error_code')
  } catch {
    return ''
  }
}

/** Addresses are in one text, `@10.0.0.5@0.0.0.0@`, with 0.0.0.0 for none. */
const addressesIn = (text: string) => text.split('@').filter((one) => one && one !== '0.0.0.0')

function instanceOf(one: Json): CloudInstance {
  const [publicAddress = ''] = addressesIn(textAt(one, 'floatingIp'))
  const addresses = addressesIn(textAt(one, 'privateIps'))
  return {
    id: textAt(one, 'nativeId') || textAt(one, 'id'),
    name: textAt(one, 'name'),
    addresses: publicAddress ? [...addresses, publicAddress] : addresses,
    publicAddress,
    isWindows: /windows/i.test(`${textAt(one, 'osType')} ${textAt(one, 'osVersion')} ${textAt(one, 'extraSpecs')}`),
  }
}
