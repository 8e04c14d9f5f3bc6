import { useState } from 'react'
import { TagsInput, type TagsInputProps } from '../boxes/TagsInput.tsx'

function Example({ first = [], ...props }: Partial<Omit<TagsInputProps, 'onChange'>> & { first?: string[] }) {
  const [value, setValue] = useState(first)
  return <TagsInput {...props} value={value} onChange={setValue} />
}

export default function TagsInputGallery() {
  return (
    <>
      <Example aria-label="Empty" placeholder="Type and press enter" />
      <Example aria-label="Filled" first={['10.0.0.1', '192.168.0.0/16', '生产']} />
      <Example aria-label="Disabled" first={['10.0.0.1']} disabled />
      <Example aria-label="Invalid" first={['10.0.0.999']} aria-invalid />
      <Example
        aria-label="Offered"
        placeholder="Names of assets"
        hasSpaces
        suggestions={[{ value: 'web-1', more: '10.0.0.1' }, { value: 'db 2' }]}
      />
      <Example aria-label="Many" first={Array.from({ length: 120 }, (_, at) => `10.0.0.${at}`)} />
    </>
  )
}
