/** The organization's own picture, or ours. */
export function Logo({ collapsed, image }: { collapsed: boolean; image: string | undefined }) {
  if (image) return <img src={image} alt="" {...(collapsed ? { width: 32, height: 32 } : { width: 165, height: 50 })} />
  return (
    <>
      <Mark />
      {!collapsed && <span>Sallyport</span>}
    </>
  )
}

/** A gate in a wall. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <path d="M3 29V8h4V4h5v4h8V4h5v4h4v21h-8v-8a5 5 0 0 0-10 0v8z" fill="#1aa893" />
      <path d="M14 29v-8a2 2 0 0 1 4 0v8z" fill="#f2c14e" />
    </svg>
  )
}
