import React, { useState } from 'react'
export function Page({ title, items }: { title: string; items: string[] }) {
  const [open, setOpen] = useState(false)
  return <main onClick={() => setOpen(!open)}>{open ? items.map(i => <li key={i}>{i}</li>) : title}</main>
}
