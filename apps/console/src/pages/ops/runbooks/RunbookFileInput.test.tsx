import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import type { FormField } from '../../../generic/view/form-groups.ts'
import type { FormContext, FormValues } from '../../../generic/view/form-view.ts'
import { ListItems } from '../../../generic/widgets/items/ListItems.tsx'
import { holdBack, serve, show, signIn } from '../../../test/harness.tsx'
import { RunbookFileInput } from './RunbookFileInput.tsx'

const context: FormContext = { mode: 'create', row: undefined, query: new URLSearchParams() }
const field = {
  name: 'steps',
  type: 'list',
  label: 'Steps',
  item: 'Step',
  children: { file: { type: 'string', label: 'File' } },
} as unknown as FormField
let steps: readonly FormValues[]

function Steps() {
  const [now, setNow] = useState<readonly FormValues[]>([{ name: 'a' }, { name: 'b' }])
  steps = now
  return (
    <ListItems field={field} values={{ steps: now }} context={context} onChange={setNow}>
      {(child, { file }, at) => (
        <RunbookFileInput
          key={child.name}
          field={child}
          context={context}
          value={file as string}
          onChange={(id: string) => setNow((all) => all.with(at, { ...all[at], file: id }))}
        />
      )}
    </ListItems>
  )
}
const choose = (at: number) => {
  const input = document.querySelectorAll('input[type=file]')[at] as HTMLInputElement
  fireEvent.change(input, { target: { files: [new File(['x'], 'app.conf')] } })
}

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('a file goes to the step that it was chosen for, which may have moved while it was sent; of one that is gone this is reported', async () => {
  signIn()
  const calls = serve(() => ({ status: 201, body: { id: `f${calls.length}`, name: 'app.conf', size: 1, sha256: '' } }))
  let release = holdBack(() => true)
  show(<Steps />, '/', '/')
  choose(0)
  await userEvent.click(screen.getByRole('button', { name: 'Move Step 1 down' }))
  release()
  await screen.findByText('app.conf · 1 B')
  expect(steps).toEqual([{ name: 'b' }, { name: 'a', file: 'f1' }])

  release = holdBack(() => true)
  choose(0)
  await userEvent.click(screen.getByRole('button', { name: 'Remove Step 1' }))
  release()
  await screen.findByText('app.conf was not used: its step was removed during the upload.')
  await waitFor(() => expect(steps).toEqual([{ name: 'a', file: 'f1' }]))
})
