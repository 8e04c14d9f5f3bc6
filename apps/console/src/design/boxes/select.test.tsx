import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { SearchInput } from '../inputs/SearchInput.tsx'
import { Named } from '../Named.tsx'
import { MultiSelect } from './MultiSelect.tsx'
import type { Option } from './options.ts'
import { Select } from './Select.tsx'
import { TagsInput } from './TagsInput.tsx'
import { TreeSelect } from './TreeSelect.tsx'
import { type TreeOption, waysIn } from './tree-rows.ts'

afterEach(cleanup)

const FRUITS: Option[] = [
  { value: 'a', label: 'Apple' },
  { value: 'b', label: 'Banana', disabled: true },
  { value: 'c', label: 'Cherry' },
  { value: 'd', label: 'Date' },
]
let value: unknown

function One({ first = null, options = FRUITS }: { first?: string | null; options?: readonly Option[] }) {
  const [chosen, setChosen] = useState(first)
  value = chosen
  return <Select aria-label="Fruit" isClearable options={options} value={chosen} onChange={setChosen} />
}

function Many({ first = [], options = FRUITS }: { first?: string[]; options?: readonly Option[] }) {
  const [chosen, setChosen] = useState(first)
  value = chosen
  return <MultiSelect aria-label="Fruits" isClearable options={options} value={chosen} onChange={setChosen} />
}

const box = () => screen.getByRole<HTMLInputElement>('combobox')
const isOpen = () => box().getAttribute('aria-expanded') === 'true'
const options = () => screen.queryAllByRole('option').map(({ textContent }) => textContent)
/** The option that the keys are at. */
const active = () => document.getElementById(box().getAttribute('aria-activedescendant') ?? '')?.textContent

test('one of many is found by typing and taken by Enter; the box then says its name', async () => {
  render(<One />)
  await userEvent.type(box(), 'CHER')
  expect(options()).toEqual(['Cherry'])
  await userEvent.keyboard('{Enter}')
  expect([value, box().value, isOpen()]).toEqual(['c', 'Cherry', false])
  screen.getByRole('combobox', { name: 'Fruit' })
})

test('a list opens at the chosen option, by arrows, Enter and Space, and goes by arrows, Home and End', async () => {
  render(<One first="c" />)
  box().focus()
  for (const key of ['{ArrowDown}', '{ArrowUp}', '{Enter}', ' ']) {
    await userEvent.keyboard(key)
    expect([isOpen(), options().length]).toEqual([true, 4])
    expect(active()).toBe('Cherry')
    expect(screen.getByRole('option', { selected: true }).textContent).toBe('Cherry')
    await userEvent.keyboard('{Escape}')
    expect([isOpen(), value]).toEqual([false, 'c'])
  }
  await userEvent.keyboard('{ArrowDown}')
  await userEvent.keyboard('{Home}')
  expect(active()).toBe('Apple')
  await userEvent.keyboard('{End}')
  expect(active()).toBe('Date')
  await userEvent.keyboard('{ArrowUp}{ArrowUp}{ArrowUp}{Enter}')
  expect(value).toBe('a')
  expect(box().value).toBe('Apple')
})

test('what cannot be chosen is said to be so, and neither key nor click takes it', async () => {
  render(<One />)
  await userEvent.click(box())
  const banana = screen.getByRole('option', { name: 'Banana' })
  expect(banana.getAttribute('aria-disabled')).toBe('true')
  await userEvent.click(banana)
  await userEvent.type(box(), 'ban{Enter}')
  expect(value).toBeNull()
})

test('text that chooses nothing, an emptied box and Escape leave the choice as it was', async () => {
  render(<One first="a" />)
  await userEvent.clear(box())
  expect([value, options().length]).toEqual(['a', 4])
  await userEvent.keyboard('{Escape}')
  expect([value, box().value]).toEqual(['a', 'Apple'])
  // The second one is for the dialog that it may be in.
  let heard = 0
  document.addEventListener('keydown', () => heard++, { once: true })
  await userEvent.keyboard('{Escape}')
  expect([value, heard]).toEqual(['a', 1])
  await userEvent.type(box(), 'zzz')
  expect(screen.getByRole('status').textContent).toBe('Nothing matches')
  await userEvent.keyboard('{Enter}{Tab}')
  await waitFor(() => expect(isOpen()).toBe(false))
  expect([value, box().value]).toEqual(['a', 'Apple'])
})

test('an option is called by what is seen of it, and the box by its plain words', async () => {
  const ada = { value: 'ada', label: <Named text="Ada Lovelace(ada)" />, text: 'Ada Lovelace(ada)' }
  render(<One options={[ada]} />)
  await userEvent.click(box())
  await userEvent.click(screen.getByRole('option', { name: 'Ada Lovelace ada' }))
  expect(box().value).toBe('Ada Lovelace(ada)')
})

test('a choice is taken back by its button, and by Delete in the box', async () => {
  render(<One first="a" />)
  await userEvent.click(screen.getByRole('button', { name: 'Clear' }))
  expect([value, box().value]).toEqual([null, ''])
  expect(screen.queryByRole('button', { name: 'Clear' })).toBeNull()
  cleanup()
  render(<One first="c" />)
  box().focus()
  await userEvent.keyboard('{Delete}')
  expect(value).toBeNull()
})

test('words that an input method is still putting together choose and search nothing', async () => {
  render(
    <One
      options={[
        { value: 'sh', label: '上海' },
        { value: 'bj', label: '北京' },
      ]}
    />,
  )
  box().focus()
  fireEvent.compositionStart(box())
  fireEvent.change(box(), { target: { value: 'bei' } })
  expect(options()).toEqual(['上海', '北京'])
  fireEvent.keyDown(box(), { key: 'Enter', isComposing: true, keyCode: 229 })
  expect(value).toBeNull()
  fireEvent.change(box(), { target: { value: '北' } })
  fireEvent.compositionEnd(box(), { data: '北' })
  expect(options()).toEqual(['北京'])
  await userEvent.keyboard('{Enter}')
  expect(value).toBe('bj')
})

test('a hundred of thousands of options are drawn, more as the list is scrolled, and each is found by typing', async () => {
  const many = Array.from({ length: 5000 }, (_, at) => ({ value: String(at), label: `Zone ${at}` }))
  render(<One options={many} />)
  await userEvent.click(box())
  expect(options()).toHaveLength(100)
  fireEvent.scroll(screen.getByRole('listbox', { name: 'Fruit' }))
  expect(options()).toHaveLength(200)
  await userEvent.type(box(), 'Zone 4999{Enter}')
  expect(value).toBe('4999')
})

test('a disabled box opens by nothing', async () => {
  render(<Select aria-label="Fruit" disabled options={FRUITS} value="a" onChange={() => {}} />)
  await userEvent.click(box())
  expect([isOpen(), box().disabled, box().value]).toEqual([false, true, 'Apple'])
})

test('a box that says why it is greyed is reached by the keyboard, and neither key, text nor click does anything', async () => {
  const changes: unknown[] = []
  const note = (next: unknown) => changes.push(next)
  render(
    <>
      <Select aria-label="Fruit" whyDisabled="Not now" options={FRUITS} value="a" onChange={note} />
      <SearchInput aria-label="Find" whyDisabled="Not now" value="plum" onChange={note} onSearch={note} />
    </>,
  )
  await userEvent.tab()
  expect([document.activeElement, box().getAttribute('aria-description')]).toEqual([box(), 'Not now'])
  await userEvent.keyboard('{ArrowDown}ch{Enter}')
  await userEvent.click(box())
  const search = screen.getByRole<HTMLInputElement>('searchbox')
  await userEvent.type(search, 'x{Enter}{Escape}')
  expect([isOpen(), box().value, search.value, changes]).toEqual([false, 'Apple', 'plum', []])
  expect([search.getAttribute('aria-disabled'), search.getAttribute('aria-description')]).toEqual(['true', 'Not now'])
})

test('several are taken and given back in the open list, and by their chips, by keys and pointer', async () => {
  render(<Many />)
  await userEvent.click(box())
  await userEvent.click(screen.getByRole('option', { name: 'Apple' }))
  await userEvent.type(box(), 'dat{Enter}')
  expect([value, isOpen(), box().value]).toEqual([['a', 'd'], true, ''])
  await userEvent.click(screen.getByRole('option', { name: 'Cherry' }))
  await userEvent.click(screen.getByRole('option', { name: 'Apple' }))
  expect(value).toEqual(['d', 'c'])
  await userEvent.click(screen.getByRole('button', { name: 'Remove Date' }))
  expect(value).toEqual(['c'])
  await userEvent.type(box(), 'apple{Enter}')
  expect(value).toEqual(['c', 'a'])
  await userEvent.keyboard('{Backspace}')
  expect(value).toEqual(['c'])
  await userEvent.keyboard('{ArrowLeft}{Delete}')
  expect(value).toEqual([])
  // An option that was taken is still where the keys are.
  await userEvent.keyboard('{Home}{Enter}{ArrowDown}{ArrowDown}{Enter}')
  expect([value, active()]).toEqual([['a', 'c'], 'Cherry'])
})

test('a hundred of a thousand chosen values are shown; no hidden one goes by a key, and all can be cleared', async () => {
  const all = Array.from({ length: 1000 }, (_, at) => ({ value: `v${at}`, label: `Value ${at}` }))
  render(<Many options={all} first={all.map((one) => one.value)} />)
  expect(screen.getByText('Value 99')).toBeTruthy()
  expect(screen.queryByText('Value 100')).toBeNull()
  await userEvent.click(box())
  await userEvent.keyboard('{Backspace}')
  expect(value).toHaveLength(1000)
  screen.getByText('900 more')
  await userEvent.click(screen.getByLabelText('Clear'))
  expect(value).toEqual([])
})

test('buttons below a list are reached by the down arrow after its last option; the up arrow goes back, Tab goes on', async () => {
  const footer = <button type="button">Choose all</button>
  render(
    <>
      <MultiSelect aria-label="Fruits" options={FRUITS} value={[]} onChange={() => {}} footer={footer} />
      <button type="button">Next</button>
    </>,
  )
  await userEvent.click(box())
  await userEvent.keyboard('{End}{ArrowDown}')
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Choose all' }))
  await userEvent.keyboard('{ArrowUp}')
  expect([document.activeElement, isOpen()]).toEqual([box(), true])
  await userEvent.tab()
  expect([document.activeElement, isOpen()]).toEqual([screen.getByRole('button', { name: 'Next' }), false])
})

function Words({ first = [] }: { first?: string[] }) {
  const [words, setWords] = useState(first)
  value = words
  return <TagsInput aria-label="Words" value={words} onChange={setWords} />
}

test('words are ended by Enter, a comma or a space, come several at once when pasted, and go by Backspace or their button', async () => {
  render(<Words />)
  const input = screen.getByRole('textbox', { name: 'Words' })
  await userEvent.type(input, 'one{Enter}two,three four')
  expect(value).toEqual(['one', 'two', 'three'])
  await userEvent.tab()
  expect(value).toEqual(['one', 'two', 'three', 'four'])
  await userEvent.click(input)
  await userEvent.paste('five\nsix, one')
  expect(value).toEqual(['one', 'two', 'three', 'four', 'five', 'six'])
  await userEvent.keyboard('{Backspace}')
  await userEvent.click(screen.getByRole('button', { name: 'Remove two' }))
  expect(value).toEqual(['one', 'three', 'four', 'five'])
})

const TREE: TreeOption[] = [
  {
    value: 'root',
    text: 'Default',
    children: [
      { value: 'p', text: 'Production', children: [{ value: 'w', text: 'Web' }] },
      { value: 't', text: 'Test', children: [{ value: 'tw', text: 'Web' }] },
    ],
  },
]
const ways = waysIn(TREE)

function Nodes({ isMultiple = true, first = [] }: { isMultiple?: boolean; first?: string[] }) {
  const [nodes, setNodes] = useState(first)
  value = nodes
  const wordsOf = (one: string) => [...(ways.get(one)?.above ?? []), ways.get(one)?.option.text ?? one].join(' / ')
  return <TreeSelect aria-label="Node" tree={TREE} value={nodes} onChange={setNodes} {...{ isMultiple, wordsOf }} />
}
const lines = () => screen.queryAllByRole('treeitem').map(({ textContent }) => textContent)

test('several nodes of a tree are taken by keys: arrows move, unfold and fold, Enter takes one and gives it back', async () => {
  render(<Nodes />)
  box().focus()
  await userEvent.keyboard('{ArrowDown}')
  expect(lines()).toEqual(['Default', 'Production', 'Test'])
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  expect(active()).toBe('Production')
  await userEvent.keyboard('{ArrowRight}{ArrowRight}{Enter}')
  expect([value, active(), lines().length]).toEqual([['w'], 'Web', 4])
  await userEvent.keyboard('{ArrowLeft}{ArrowLeft}')
  expect([active(), lines().length]).toEqual(['Production', 3])
  await userEvent.keyboard('{End}{Enter}')
  expect([value, screen.getByRole('treeitem', { name: 'Test' }).ariaSelected ?? 'true']).toEqual([['w', 't'], 'true'])
  screen.getByRole('button', { name: 'Remove Default / Production / Web' })
  await userEvent.keyboard('{Enter}{Backspace}')
  expect(value).toEqual([])
  await userEvent.keyboard('{Escape}')
  expect(isOpen()).toBe(false)
})

test('a search in a tree shows the nodes above each match; taking one closes the tree and shows its path', async () => {
  render(<Nodes isMultiple={false} />)
  await userEvent.type(box(), 'web')
  expect(lines()).toEqual(['Default', 'Production', 'Web', 'Test', 'Web'])
  await userEvent.click(screen.getAllByRole('treeitem', { name: 'Web' })[1] as HTMLElement)
  expect([value, isOpen(), box().value]).toEqual([['tw'], false, 'Default / Test / Web'])
  await userEvent.type(box(), 'nowhere')
  expect(screen.getByRole('status').textContent).toBe('Nothing matches')
})
