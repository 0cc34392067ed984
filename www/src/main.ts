import './styles/tokens.css';
import './styles/ui.css';
import './styles/pages.css';
import './app';
