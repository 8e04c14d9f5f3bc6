import { expect, test } from 'vitest'
import { valuesOf } from './ranged-values.ts'

const all = Array.from({ length: 3200 }, (_, n) => `cn=u${n},dc=x`)

/** Answers as Active Directory does (MS-ADTS §3.1.1.3.1.3.3): no piece of more than 1,500 values. */
function aDirectory(values: readonly string[]) {
  const asked: string[] = []
  const read = async (attribute: string) => {
    asked.push(attribute)
    const from = Number(/range=(\d+)/.exec(attribute)?.[1] ?? 0)
    const piece = values.slice(from, from + 1500)
    const end = from + 1500 >= values.length ? '*' : from + 1499
    return { dn: 'cn=g,dc=x', member: [], [`member;range=${from}-${end}`]: piece }
  }
  return { read, asked }
}

test('a long list of members is read to its end, piece by piece', async () => {
  const { read, asked } = aDirectory(all)
  const first = (await read('member')) ?? { dn: '' }
  expect(await valuesOf(read, first, 'member')).toEqual(all)
  expect(asked).toEqual(['member', 'member;range=1500-*', 'member;range=3000-*'])
})

test('a short list is read as it is, in any case of its name, and a directory that goes round in circles is given up', async () => {
  const none = () => Promise.reject(new Error('nothing more is asked'))
  expect(await valuesOf(none, { dn: '', MemberOf: 'cn=a,dc=x' }, 'memberOf')).toEqual(['cn=a,dc=x'])
  expect(await valuesOf(none, { dn: '', memberOf: [], member: ['cn=b,dc=x'] }, 'memberOf')).toEqual([])
  const again = async () => ({ dn: '', 'member;range=0-1499': ['cn=a,dc=x'] })
  await expect(valuesOf(again, await again(), 'member')).rejects.toThrow('the rest of a long list')
})
