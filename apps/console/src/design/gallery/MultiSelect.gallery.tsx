import { useState } from 'react'
import { Button } from '../Button.tsx'
import { MultiSelect, type MultiSelectProps } from '../boxes/MultiSelect.tsx'
import type { Option } from '../boxes/options.ts'
import { SOURCE_STATES } from './source-states.ts'

const COLORS: Option[] = ['Red', 'Green', 'Blue', 'Yellow'].map((label) => ({
  value: label,
  label,
  disabled: label === 'Yellow',
}))
const MANY: Option[] = Array.from({ length: 1000 }, (_, at) => ({ value: String(at), label: `Machine ${at}` }))
const LONG = 'a-machine-with-a-name-that-is-far-longer-than-its-box.eu-central.production.internal.example.com'

type ExampleProps = Partial<Omit<MultiSelectProps<string>, 'onChange' | 'value'>> & { first?: string[] }

function Example({ first = [], options = COLORS, ...props }: ExampleProps) {
  const [value, setValue] = useState(first)
  return <MultiSelect {...props} options={options} value={value} onChange={setValue} />
}

function WithFooter() {
  const [value, setValue] = useState<string[]>([])
  return (
    <MultiSelect
      aria-label="Footer"
      isClearable
      options={COLORS}
      value={value}
      onChange={setValue}
      footer={
        <Button type="text" size="small" onClick={() => setValue(['Red', 'Green', 'Blue'])}>
          Choose all 3
        </Button>
      }
    />
  )
}

export default function MultiSelectGallery() {
  return (
    <>
      <Example aria-label="Empty" placeholder="Select" />
      <Example aria-label="Filled" first={['Red', 'Blue']} isClearable />
      <Example aria-label="Small" first={['Red', 'Blue']} size="small" />
      <Example aria-label="Disabled" first={['Red', 'Blue']} disabled />
      <Example aria-label="Invalid" placeholder="Select" aria-invalid />
      <Example aria-label="Long text" first={[LONG, 'Red']} options={[{ value: LONG, label: LONG }, ...COLORS]} />
      <Example aria-label="A thousand" first={MANY.map(({ value }) => value)} options={MANY} isClearable />
      <WithFooter />
      {SOURCE_STATES.map((state) => (
        <Example key={state['aria-label']} options={[]} {...state} />
      ))}
    </>
  )
}
