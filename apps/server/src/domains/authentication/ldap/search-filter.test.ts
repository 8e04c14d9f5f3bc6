import { expect, test } from 'vitest'
import { readAttributeMap, readPerson } from './person.ts'
import { searchFilter } from './search-filter.ts'

test('the filter has the exact name, with any characters', () => {
  const filter = (name?: string) =>
    searchFilter('(&(objectClass=person)(|(uid=%(user)s)(mail=%(user)s)))', name).toString()
  expect(filter('anna')).toBe('(&(objectClass=person)(|(uid=anna)(mail=anna)))')
  expect(filter('a*)(b\\\0')).toBe(
    '(&(objectClass=person)(|(uid=a\\2a\\29\\28b\\5c\\00)(mail=a\\2a\\29\\28b\\5c\\00)))',
  )
  expect(filter('张 $& é')).toBe('(&(objectClass=person)(|(uid=张 $& é)(mail=张 $& é)))')
  expect(filter()).toBe('(&(objectClass=person)(|(uid=*)(mail=*)))')
})

test('an invalid filter is reported as such', () => {
  for (const template of ['', 'uid', '(uid=%(user)s', '((uid=%(user)s))'])
    expect(() => searchFilter(template, 'x')).toThrow('filter')
})

test('entries are read by the map, in whatever letters the server names its attributes', () => {
  const map = readAttributeMap({
    username: 'sAMAccountName',
    name: 'displayName',
    email: 'mail',
    is_active: 'userAccountControl',
    role: 'title',
  })
  expect(map).not.toHaveProperty('role')
  const person = {
    dn: 'x',
    samaccountname: ['ann', 'other'],
    DISPLAYNAME: Buffer.from('Ännchen'),
    mail: [],
    userAccountControl: '66050',
  }
  expect(readPerson(person, map)).toEqual({ dn: 'x', username: 'ann', name: 'Ännchen', email: '', is_active: false })
  expect(readPerson({ ...person, userAccountControl: '512' }, map)).toMatchObject({ is_active: true })
  expect(readPerson({ dn: 'x', mail: 'nameless@example.com' }, map)).toBeUndefined()
  expect(() => readAttributeMap({ username: 'uid', name: 'cn' })).toThrow('lacks {{names}}')
})
