import { AtSignIcon } from 'lucide-react'
import { useState } from 'react'
import { NativeSelect } from '../boxes/NativeSelect.tsx'
import { Input } from '../inputs/Input.tsx'
import { LongInput } from '../inputs/LongInput.tsx'
import { NumberInput } from '../inputs/NumberInput.tsx'
import { SearchInput } from '../inputs/SearchInput.tsx'
import { SecretInput } from '../inputs/SecretInput.tsx'

/** Boxes that are typed into, in all states. */
export default function InputGallery() {
  const [text, setText] = useState('web-01')
  const [number, setNumber] = useState<number | null>(22)
  const [words, setWords] = useState('shop')
  return (
    <>
      <Input aria-label="Text" value={text} onChange={setText} />
      <Input aria-label="Empty" placeholder="Placeholder" />
      <Input aria-label="Invalid" aria-invalid value={text} onChange={setText} />
      <Input aria-label="Disabled" disabled value="web-01" />
      <Input aria-label="Read only" readOnly value="web-01" />
      <Input aria-label="Small" isSmall value={text} onChange={setText} />
      <Input aria-label="Around the text" start={<AtSignIcon />} end="hours" value={text} onChange={setText} />
      <NumberInput aria-label="Number" end="days" value={number} onChange={setNumber} />
      <SecretInput aria-label="Secret" value={text} onChange={setText} />
      <SearchInput aria-label="Search" value={words} onChange={setWords} />
      <SearchInput aria-label="Searching" placeholder="Search on Enter" isSearching onSearch={() => {}} />
      <LongInput aria-label="Lines" rows={3} value={text} onChange={setText} />
      <LongInput aria-label="Code" isCode rows={2} value={text} onChange={setText} />
      <NativeSelect aria-label="List of the system" value="ssh" onChange={() => {}}>
        <option>ssh</option>
      </NativeSelect>
    </>
  )
}
