export const Button = ({ label, ...rest }) => <button {...rest}>{label}</button>
