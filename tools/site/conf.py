"""Sphinx's settings for the site; tools/site.sh says where the package and its extension module are."""
import importlib.util
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(Path(__file__).parent)]

# The package is read where its sources are, so that a complaint names the file to edit; its compiled part is elsewhere.
_core = importlib.util.spec_from_file_location("zilch._core", os.environ["ZILCH_CORE"])
sys.modules["zilch._core"] = importlib.util.module_from_spec(_core)
_core.loader.exec_module(sys.modules["zilch._core"])
import zilch  # noqa: E402

project = "zilch"
version = release = zilch.__version__
author = copyright = "the authors of zilch, MIT license"  # noqa: A001
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon", "site_pages"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
include_patterns = ["**.md", "**.rst"]
root_doc = "index"
default_role = "code"
highlight_language = "none"

# A link that leads nowhere is an error, and so is the name of something of zilch that is not documented. What others
# document is not looked up, because nothing is fetched.
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!zilch\.).*")]

myst_heading_anchors = 6
myst_links_external_new_tab = False
suppress_warnings = ["misc.highlighting_failure"]  # excerpts of JSON and C that are no whole programs

autosummary_generate = False
autodoc_mock_imports = ["nevergrad", "optuna"]  # of which the modules that fit zilch into them need only names
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_type_aliases = {"Floats": "NDArray", "ArrayLike": "ArrayLike"}
# scikit-learn gives its estimators methods whose words lead to its own pages.
ROUTING = "get_metadata_routing, set_fit_request, set_score_request, set_predict_request, set_transform_request"
autodoc_default_options = {"members": True, "undoc-members": True, "exclude-members": ROUTING}
python_maximum_signature_line_length = 88
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_param = False  # types are words here: "number, or an array of dim"
napoleon_custom_sections = [("Attributes", "params_style")]
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"zilch {version}"
html_static_path = [str(Path(__file__).parent / "static")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_domain_indices = False
html_theme_options = {"footer_icons": [], "top_of_page_buttons": []}
