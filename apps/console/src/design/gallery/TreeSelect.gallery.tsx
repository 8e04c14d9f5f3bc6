import { useState } from 'react'
import { TreeSelect, type TreeSelectProps } from '../boxes/TreeSelect.tsx'
import { type TreeOption, waysIn } from '../boxes/tree-rows.ts'
import { SOURCE_STATES } from './source-states.ts'

const TREE: TreeOption[] = [
  {
    value: 'root',
    text: 'Default',
    children: [
      {
        value: 'prod',
        text: 'Production',
        children: [
          { value: 'web', text: 'Web' },
          { value: 'db', text: 'Databases' },
        ],
      },
      { value: 'test', text: '测试环境', children: [{ value: 'test-web', text: 'Web' }] },
      {
        value: 'many',
        text: 'Many',
        children: Array.from({ length: 2000 }, (_, at) => ({ value: `m${at}`, text: `Node ${at}` })),
      },
    ],
  },
]
const ways = waysIn(TREE)
const wordsOf = (value: string) => {
  const way = ways.get(value)
  return way ? [...way.above.slice(1), way.option.text].join(' / ') : value
}

function Example({ first = [], ...props }: Partial<Omit<TreeSelectProps, 'onChange'>> & { first?: string[] }) {
  const [value, setValue] = useState(first)
  return <TreeSelect tree={TREE} wordsOf={wordsOf} {...props} value={value} onChange={setValue} />
}

export default function TreeSelectGallery() {
  return (
    <>
      <Example aria-label="Empty" placeholder="Select" isMultiple />
      <Example aria-label="Several" first={['web', 'test-web']} isMultiple />
      <Example aria-label="One" first={['db']} />
      <Example aria-label="Disabled" first={['db', 'web']} isMultiple disabled />
      <Example aria-label="Invalid" placeholder="Select" aria-invalid />
      {SOURCE_STATES.map((state) => (
        <Example key={state['aria-label']} tree={[]} {...state} />
      ))}
    </>
  )
}
