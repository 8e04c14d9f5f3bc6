/** A small MaxMind DB file (IPv4, records of 24 bits), made by its published format: for tests. */
import { writeFileSync } from 'node:fs'

type Value = string | number | Value[] | { [name: string]: Value }

const size = (type: number, length: number) => {
  if (length > 28) return Buffer.from([...(type > 7 ? [29, type - 7] : [(type << 5) | 29]), length - 29])
  return Buffer.from(type > 7 ? [length, type - 7] : [(type << 5) | length])
}

function encode(value: Value, number = 6): Buffer {
  if (typeof value === 'string') return Buffer.concat([size(2, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([size(number, 4), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([size(11, value.length), ...value.map((one) => encode(one))])
  const entries = Object.entries(value).flatMap(([name, one]) => [encode(name), encode(one)])
  return Buffer.concat([size(7, Object.keys(value).length), ...entries])
}

interface Place {
  city: { en: string; 'zh-CN': string }
  country: { en: string; 'zh-CN': string }
}

/** Writes the file; each place is known by a network of IPv4 addresses such as `81.2.69.0/24`. */
export function writeCityDatabase(path: string, places: Readonly<Record<string, Place>>): void {
  const nodes: (number | { data: number } | undefined)[][] = [[undefined, undefined]]
  const data: Buffer[] = []
  let position = 0
  for (const [network, { city, country }] of Object.entries(places)) {
    const [address = '', length = '32'] = network.split('/')
    const bits = address
      .split('.')
      .map((part) => Number(part).toString(2).padStart(8, '0'))
      .join('')
      .slice(0, Number(length))
    let node = 0
    for (const [n, bit] of [...bits].entries()) {
      const record = nodes[node] as (number | { data: number } | undefined)[]
      if (n === bits.length - 1) record[Number(bit)] = { data: position }
      else {
        if (typeof record[Number(bit)] !== 'number') record[Number(bit)] = nodes.push([undefined, undefined]) - 1
        node = record[Number(bit)] as number
      }
    }
    const bytes = encode({ city: { names: city }, country: { names: country } })
    data.push(bytes)
    position += bytes.length
  }
  const tree = Buffer.alloc(nodes.length * 6)
  const NOTHING = nodes.length
  for (const [n, record] of nodes.entries())
    for (const side of [0, 1]) {
      const to = record[side]
      tree.writeUIntBE(typeof to === 'number' ? to : to ? NOTHING + 16 + to.data : NOTHING, n * 6 + side * 3, 3)
    }
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1,
    database_type: 'Test-City',
    description: { en: 'test' },
    ip_version: 4,
    languages: ['en', 'zh-CN'],
    node_count: nodes.length,
    record_size: 24,
  })
  writeFileSync(
    path,
    Buffer.concat([
      tree,
      Buffer.alloc(16),
      ...data,
      Buffer.from('abcdef', 'hex'),
      Buffer.from('MaxMind.com'),
      metadata,
    ]),
  )
}
