/** Why something was refused, read out at once; nothing while there is no reason. */
export function Refusal({ text }: { text: string | undefined }) {
  if (!text) return null
  return (
    <p className="refusal" role="alert">
      {text}
    </p>
  )
}
