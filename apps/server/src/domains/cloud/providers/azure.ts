import { at, type Json, jsonOf, listAt, textAt } from './answers.ts'
import { type CloudInstance, checkedRegion, type OpenCloud, pagesBy, textOf } from './cloud.ts'
import { CloudError, refusalOf } from './cloud-error.ts'
import { TokenKeeper } from './token-keeper.ts'

/** The two worlds of Azure: where applications sign in, and where resources are asked. */
const WORLDS = {
  azure_international: { login: 'https://login.microsoftonline.com', manager: 'https://management.azure.com' },
  azure: { login: 'https://login.chinacloudapi.cn', manager: 'https://management.chinacloudapi.cn' },
} as const

const LOCATIONS = '2022-12-01'
const MACHINES = '2024-07-01'
const NETWORK = '2024-05-01'

/**
 * Virtual machines of a subscription by Azure Resource Manager, as an application (Microsoft identity
 * platform, "client credentials flow"; REST: Virtual Machines - List, Network Interfaces - List All,
 * Public IP Addresses - List All).
 */
export const openAzure =
  (world: keyof typeof WORLDS): OpenCloud =>
  (attrs, transport) => {
    const { login, manager } = WORLDS[world]
    const scope = `/subscriptions/${encodeURIComponent(textOf(attrs, 'subscription_id'))}`
    const token = new TokenKeeper(() =>
      transport.ask(
        () => ({
          method: 'POST',
          url: `${login}/${encodeURIComponent(textOf(attrs, 'tenant_id'))}/oauth2/v2.0/token`,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({
            grant_type: 'client_credentials',
            client_id: textOf(attrs, 'client_id'),
            client_secret: textOf(attrs, 'client_secret'),
            scope: `${manager}/.default`,
          }).toString(),
        }),
        (answer) => {
          const found = jsonOf(answer)
          if (answer.status !== 200) throw refusalOf(answer.status, found.error)
          return { token: textAt(found, 'access_token'), seconds: Number(found.expires_in ?? 0) }
        },
      ),
    )
    const ask = async (url: string) => {
      // The token goes nowhere else, whatever a link says.
      if (new URL(url).origin !== manager) throw new CloudError('unreadable', 'a link that leads elsewhere')
      const bearer = await token.now()
      return transport.ask(
        () => ({ method: 'GET', url, headers: { authorization: `Bearer ${bearer}` } }),
        (answer) => {
          const found = jsonOf(answer)
          if (answer.status !== 200) throw refusalOf(answer.status, at(found, 'error', 'code'))
          return found
        },
      )
    }
    const pages = (path: string, version: string) =>
      pagesBy(async (next) => {
        const found = await ask(next || `${manager}${scope}${path}?api-version=${version}`)
        return { items: listAt(found, 'value'), next: textAt(found, 'nextLink') }
      })
    return {
      async regions() {
        const all = (await Array.fromAsync(pages('/locations', LOCATIONS))).flat()
        return all.map((one) => ({ id: textAt(one, 'name'), name: textAt(one, 'displayName') || textAt(one, 'name') }))
      },
      async *instances(region) {
        const outside = new Map<string, string>()
        const isHere = (one: Json) => textAt(one, 'location').toLowerCase() === region.toLowerCase()
        for await (const page of pages('/providers/Microsoft.Network/publicIPAddresses', NETWORK))
          for (const one of page.filter(isHere)) outside.set(idOf(one), textAt(one, 'properties', 'ipAddress'))
        const networks = new Map<string, readonly Address[]>()
        for await (const page of pages('/providers/Microsoft.Network/networkInterfaces', NETWORK))
          for (const one of page.filter(isHere)) networks.set(idOf(one), addressesOf(one, outside))
        const path = `/providers/Microsoft.Compute/locations/${checkedRegion(region)}/virtualMachines`
        for await (const page of pages(path, MACHINES)) yield page.map((one) => instanceOf(one, networks))
      },
    }
  }

interface Address {
  inside: string
  outside: string
}

/** Ids are the same in any case of their letters. */
const idOf = (one: unknown) => textAt(one, 'id').toLowerCase()

const addressesOf = (network: Json, outside: ReadonlyMap<string, string>): Address[] =>
  listAt(network, 'properties', 'ipConfigurations').map((one) => ({
    inside: textAt(one, 'properties', 'privateIPAddress'),
    outside: outside.get(idOf(at(one, 'properties', 'publicIPAddress'))) ?? '',
  }))

function instanceOf(one: Json, networks: ReadonlyMap<string, readonly Address[]>): CloudInstance {
  const all = listAt(one, 'properties', 'networkProfile', 'networkInterfaces').flatMap(
    (network) => networks.get(idOf(network)) ?? [],
  )
  const outside = all.flatMap((address) => address.outside || [])
  return {
    id: textAt(one, 'properties', 'vmId'),
    name: textAt(one, 'name'),
    addresses: [...all.map(({ inside }) => inside), ...outside],
    publicAddress: outside[0] ?? '',
    isWindows: textAt(one, 'properties', 'storageProfile', 'osDisk', 'osType').toLowerCase() === 'windows',
  }
}
