// The list of conversations as a drawer, where the page is too narrow for both.

export type Drawer = { open(): void; close(): boolean; toggle(): void; attach(parts: DrawerParts): void }
type DrawerParts = { readonly sidebar: HTMLElement; readonly scrim: HTMLElement; readonly opener: HTMLElement }

/** Beside the conversation where there is room; over it, and inert while closed, where there is none. */
export function makeDrawer(wide: MediaQueryList): Drawer {
  let isOpen = false
  let parts: DrawerParts | null = null
  const apply = () => {
    if (parts === null) return
    parts.sidebar.inert = !wide.matches && !isOpen
    parts.scrim.classList.toggle('open', !wide.matches && isOpen)
    parts.opener.setAttribute('aria-expanded', String(wide.matches || isOpen))
  }
  const set = (open: boolean) => {
    const was = isOpen
    isOpen = open
    apply()
    if (open && !was) parts?.sidebar.querySelector<HTMLElement>('button:not([hidden])')?.focus()
    if (!open && was && !wide.matches) parts?.opener.focus()
    return was
  }
  wide.addEventListener('change', apply)
  return {
    open: () => void set(true),
    close: () => set(false),
    toggle: () => void set(!isOpen),
    attach(given) {
      parts = given
      apply()
    },
  }
}
