import { at, type Json, jsonOf, listAt, textAt } from './answers.ts'
import { type CloudInstance, type OpenCloud, pagesFrom, textOf } from './cloud.ts'
import { refusalOf } from './cloud-error.ts'

const PAGE = 100

/** Prism Central of Nutanix (v3 API: clusters/list, vms/list), as a user by name and password. */
export const openNutanix: OpenCloud = (attrs, transport) => {
  const endpoint = textOf(attrs, 'api_endpoint').replace(/\/+$/, '')
  const login = Buffer.from(`${textOf(attrs, 'access_key_id')}:${textOf(attrs, 'access_key_secret')}`).toString(
    'base64',
  )
  const pages = (kind: 'vm' | 'cluster') =>
    pagesFrom(async (offset) => {
      const found = await transport.ask(
        () => ({
          method: 'POST',
          url: `${endpoint}/api/nutanix/v3/${kind}s/list`,
          headers: { authorization: `Basic ${login}`, 'content-type': 'application/json' },
          body: JSON.stringify({ kind, offset, length: PAGE }),
        }),
        (answer) => {
          if (answer.status !== 200) throw refusalOf(answer.status, '')
          return jsonOf(answer)
        },
      )
      return { items: listAt(found, 'entities'), total: Number(at(found, 'metadata', 'total_matches') ?? 0) }
    })
  return {
    async regions() {
      const clusters = (await Array.fromAsync(pages('cluster'))).flat()
      return clusters.map((one) => ({ id: textAt(one, 'metadata', 'uuid'), name: textAt(one, 'status', 'name') }))
    },
    async *instances(region) {
      for await (const page of pages('vm'))
        yield page.filter((one) => textAt(one, 'status', 'cluster_reference', 'uuid') === region).map(instanceOf)
    },
  }
}

function instanceOf(one: Json): CloudInstance {
  const resources = at(one, 'status', 'resources')
  const addresses = listAt(resources, 'nic_list').flatMap((network) =>
    listAt(network, 'ip_endpoint_list').map((end) => textAt(end, 'ip')),
  )
  return {
    id: textAt(one, 'metadata', 'uuid'),
    name: textAt(one, 'status', 'name'),
    addresses,
    publicAddress: '',
    isWindows: /windows/i.test(textAt(resources, 'guest_tools', 'nutanix_guest_tools', 'guest_os_version')),
  }
}
