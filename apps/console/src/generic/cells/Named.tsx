import { partsOf } from '../../lib/name-of.ts'

/** `Name(more)` as names are on the wire: the name, and what else tells it apart, quieter. */
export function Named({ text }: { text: string }) {
  const { name, detail } = partsOf(text) ?? { name: text, detail: '' }
  return (
    <span className="named">
      {name}
      {detail && detail !== name && (
        <>
          {' '}
          <small>{detail}</small>
        </>
      )}
    </span>
  )
}
