import { GlobeIcon } from 'lucide-react'
import { useState } from 'react'
import type { Option } from '../boxes/options.ts'
import { Select, type SelectProps } from '../boxes/Select.tsx'
import { SOURCE_STATES } from './source-states.ts'

const COLORS: Option[] = ['Red', 'Green', 'Blue'].map((label) => ({ value: label, label }))
const LONG = 'a-machine-with-a-name-that-is-far-longer-than-its-box.eu-central.production.internal.example.com'
const MANY: Option<number>[] = Array.from({ length: 5000 }, (_, at) => ({ value: at, label: `Machine ${at}` }))
const GROUPED: Option[] = [
  { value: 'ssh', label: 'SSH', group: 'Machines' },
  { value: 'rdp', label: 'RDP', group: 'Machines' },
  { value: 'mysql', label: 'MySQL', group: 'Databases', disabled: true },
  { value: 'redis', label: 'Redis', group: 'Databases' },
]
const NAMED: Option[] = [
  { value: 'a', label: <b>Ada Lovelace</b>, text: 'Ada Lovelace(ada)' },
  { value: 'b', label: <b>张伟</b>, text: '张伟(zhangwei)' },
]

type ExampleProps = Partial<Omit<SelectProps<string>, 'onChange' | 'isClearable'>> & { first?: string }

function Example({ first, options = COLORS, ...props }: ExampleProps) {
  const [value, setValue] = useState<string | null>(first ?? null)
  return <Select {...props} options={options} value={value} isClearable onChange={setValue} />
}

export default function SelectGallery() {
  const [number, setNumber] = useState(4711)
  return (
    <>
      <Example aria-label="Empty" placeholder="Select" />
      <Example aria-label="Filled" first="Green" />
      <Example aria-label="Small" first="Green" size="small" />
      <Example aria-label="Icon" first="Green" icon={<GlobeIcon />} />
      <Example aria-label="Disabled" first="Green" disabled />
      <Example aria-label="Invalid" placeholder="Select" aria-invalid />
      <Example aria-label="Long text" first={LONG} options={[{ value: LONG, label: LONG }, ...COLORS]} />
      <Example aria-label="Named" first="b" options={NAMED} />
      <Example aria-label="Groups" options={GROUPED} placeholder="Select" />
      <Select aria-label="Five thousand" options={MANY} value={number} onChange={setNumber} />
      {SOURCE_STATES.map((state) => (
        <Example key={state['aria-label']} options={[]} {...state} />
      ))}
    </>
  )
}
