import { userGroup } from '@sallyport/contract/resources/users/user-group.ts'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { serve, show, signIn } from '../../../test/harness.tsx'
import { GroupMembers } from './GroupMembers.tsx'
import { givenMembersHelp } from './given.ts'

const row = { id: 'g1', given_users: ['u1', 'u2'], given_by: ['ldap'] }
const context = { mode: 'update' as const, row, query: new URLSearchParams() }
let value: string[]

function Field() {
  const [members, setMembers] = useState(['u1', 'u2', 'u3'])
  value = members
  return (
    <GroupMembers
      field={{
        ...{ name: 'users', type: 'refs', label: 'User', read_only: false, required: false },
        from: { path: '/api/v1/users/users/', display: '{name}' },
      }}
      context={context}
      value={members}
      onChange={setMembers}
    />
  )
}

test(`members of a ${userGroup.label.toLowerCase()} who come from outside have no button, and neither Clear nor Backspace takes them`, async () => {
  signIn()
  serve(() => ({
    body: {
      count: 3,
      next: null,
      previous: null,
      results: ['u1', 'u2', 'u3'].map((id) => ({ id, name: `Person ${id}` })),
    },
  }))
  show(<Field />, '/', '/')
  await screen.findByRole('button', { name: 'Remove Person u3' })
  expect(screen.getAllByRole('button', { name: /^Remove/ })).toHaveLength(1)
  await userEvent.click(screen.getByRole('combobox'))
  await userEvent.keyboard('{Backspace}{Backspace}')
  expect(value).toEqual(['u1', 'u2'])
  expect(screen.queryByRole('button', { name: 'Clear' })).toBeNull()
  expect(givenMembersHelp(context).help).toBe('2 members from LDAP/AD, changed there alone')
})
